// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Everything that the fixtures have, as the official clients see it: each kind of content, resources,
// prompts, completion, logging, progress, and all that a server may ask of a client.
//
// node fixtures.mjs PROGRAM 1|legacy|auto|modern

import assert from 'node:assert/strict';

const [program, line] = process.argv.slice(2);
const CAPABILITIES = { elicitation: { form: { applyDefaults: true }, url: {} }, sampling: {},
  roots: { listChanged: true } };
const MODES = { legacy: 'legacy', auto: 'auto', modern: { pin: '2026-07-28' } };
const INFO = { name: 'postbag-tests', version: '1.0.0' };
const launch = { command: program, args: ['--toolset', 'fixtures'], env: process.env,
  stderr: 'inherit' };

// The 1.x line names what it handles by schema, the 2.x line by method.
async function makeOld() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const types = await import('@modelcontextprotocol/sdk/types.js');
  const schemas = {
    'elicitation/create': types.ElicitRequestSchema,
    'sampling/createMessage': types.CreateMessageRequestSchema,
    'roots/list': types.ListRootsRequestSchema,
    'notifications/message': types.LoggingMessageNotificationSchema,
    'notifications/resources/updated': types.ResourceUpdatedNotificationSchema,
    'notifications/resources/list_changed': types.ResourceListChangedNotificationSchema,
    'notifications/tools/list_changed': types.ToolListChangedNotificationSchema,
    'notifications/elicitation/complete': types.ElicitationCompleteNotificationSchema,
  };
  const client = new Client(INFO, { capabilities: CAPABILITIES });
  return { client, transport: new StdioClientTransport(launch),
    answer: (method, handler) => client.setRequestHandler(schemas[method], handler),
    hear: (method, handler) => client.setNotificationHandler(schemas[method], handler),
    call: (params, options) => client.callTool(params, undefined, options) };
}

async function makeNew() {
  const { Client } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const client = new Client(INFO, { capabilities: CAPABILITIES,
    versionNegotiation: { mode: MODES[line] } });
  return { client, transport: new StdioClientTransport(launch),
    answer: (method, handler) => client.setRequestHandler(method, handler),
    hear: (method, handler) => client.setNotificationHandler(method, handler),
    call: (params, options) => client.callTool(params, options) };
}

async function waitFor(what, condition) {
  const end = Date.now() + 20000;
  while (!condition()) {
    assert.ok(Date.now() < end, `never happened: ${what}`);
    await new Promise((resolve) => { setTimeout(resolve, 10); });
  }
}

const made = line === '1' ? await makeOld() : await makeNew();
const { client, call } = made;
const modern = line === 'auto' || line === 'modern';
const tool = (name, args = {}) => call({ name: `test_${name}`, arguments: args });
const text = (result) => result.content[0].text;

// What the person, the model and the file system behind this client say.
const asked = [];
let form = () => ({ action: 'decline' });
made.answer('elicitation/create', async ({ params }) => {
  asked.push(params);
  return params.mode === 'url' ? { action: 'accept' } : form(params);
});
made.answer('sampling/createMessage', async ({ params }) => {
  asked.push(params);
  return { role: 'assistant', model: 'none', content: { type: 'text', text: 'Paris' } };
});
made.answer('roots/list', async () => ({ roots: [{ uri: 'file:///home/me', name: 'Home' }] }));
const heard = {};
for (const method of ['message', 'resources/updated', 'tools/list_changed',
  'resources/list_changed', ...modern ? [] : ['elicitation/complete']]) {
  made.hear(`notifications/${method}`, ({ params }) => { (heard[method] ??= []).push(params); });
}
client.onerror = (error) => {
  if (!/unknown message ID/.test(error.message)) {
    throw error;
  }
};
await client.connect(made.transport);

async function checkContent() {
  const { tools } = await client.listTools();
  assert.ok(tools.length > 30);
  const kinds = { simple_text: ['text'], image_content: ['image'], audio_content: ['audio'],
    embedded_resource: ['resource'], resource_link: ['resource_link'],
    multiple_content_types: ['text', 'image', 'resource'] };
  for (const [name, expected] of Object.entries(kinds)) {
    const { content } = await tool(name);
    assert.deepEqual(content.map(({ type }) => type), expected, name);
  }
  const image = (await tool('image_content')).content[0];
  assert.equal(Buffer.from(image.data, 'base64').subarray(1, 4).toString(), 'PNG');
  const failed = await tool('error_handling');
  assert.equal(failed.isError, true);
}

async function checkResources() {
  const { resources } = await client.listResources();
  assert.deepEqual(resources.map(({ uri }) => uri),
    ['test://static-text', 'test://static-binary', 'test://watched-resource']);
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates[0].uriTemplate, 'test://template/{id}/data');
  const read = async (uri) => (await client.readResource({ uri })).contents[0];
  assert.ok((await read('test://static-text')).text);
  assert.ok(Buffer.from((await read('test://static-binary')).blob, 'base64').length > 0);
  assert.equal(JSON.parse((await read('test://template/7%20a/data')).text).id, '7 a');
  // The 2.x line gives the older code the number of the newer one.
  await assert.rejects(read('test://nothing'),
    ({ code }) => code === (line === '1' ? -32002 : -32602));
}

async function checkSubscriptions() {
  const uri = 'test://watched-resource';
  const change = async () => {
    await tool('trigger_resource_change');
    await tool('trigger_tool_change');
  };
  let opened;
  if (modern) {
    opened = await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
  } else {
    await client.subscribeResource({ uri });
  }
  await change();
  await waitFor('resources/updated', () => heard['resources/updated']?.[0].uri === uri);
  await waitFor('tools/list_changed', () => heard['tools/list_changed']?.length > 0);
  // Only what was asked for, where the revision lets a client choose.
  assert.equal(heard['resources/list_changed'] === undefined, modern);
  await (modern ? opened.close() : client.unsubscribeResource({ uri }));
  heard['resources/updated'] = [];
  await change();
  await new Promise((resolve) => { setTimeout(resolve, 1500); });
  assert.deepEqual(heard['resources/updated'], []);
}

async function checkPrompts() {
  const { prompts } = await client.listPrompts();
  assert.equal(prompts.length, 5);
  const get = async (name, args) => (await client.getPrompt({ name: `test_${name}`,
    arguments: args })).messages[0].content;
  assert.equal((await get('prompt_with_arguments', { arg1: 'a', arg2: 'b' })).text,
    "Prompt with arguments: arg1='a', arg2='b'");
  assert.equal((await get('prompt_with_image')).type, 'image');
  assert.equal((await get('prompt_with_embedded_resource', { resourceUri: 'test://x' }))
    .resource.uri, 'test://x');
  await assert.rejects(get('prompt_with_arguments', { arg1: 'a' }), ({ code }) => code === -32602);
  for (const [ref, name] of [[{ type: 'ref/prompt', name: 'test_prompt_with_arguments' }, 'arg1'],
    [{ type: 'ref/resource', uri: 'test://template/{id}/data' }, 'id']]) {
    const { completion } = await client.complete({ ref, argument: { name, value: 'par' } });
    assert.deepEqual(completion.values, ['paris', 'park', 'party']);
  }
}

async function checkNotifications() {
  const seen = [];
  await call({ name: 'test_tool_with_progress', arguments: {} },
    { onprogress: ({ progress }) => seen.push(progress) });
  assert.deepEqual(seen, [0, 50, 100]);
  if (modern) {
    await tool('tool_with_logging');
    assert.equal(heard.message, undefined);
    return;
  }
  await client.setLoggingLevel('error');
  await tool('tool_with_logging');
  assert.equal(heard.message, undefined);
  await client.setLoggingLevel('info');
  await tool('tool_with_logging');
  assert.equal(heard.message.length, 3);
}

async function checkForms() {
  form = () => ({ action: 'accept', content: { username: 'ada', email: 'ada@example.com' } });
  assert.match(text(await tool('elicitation', { message: 'Who?' })), /"username":"ada"/);
  form = () => ({ action: 'accept', content: {} });
  const given = text(await tool('elicitation_sep1034_defaults'));
  const values = JSON.parse(given.slice(given.indexOf('{')));
  assert.deepEqual(values, { name: 'John Doe', age: 30, score: 95.5, status: 'active',
    verified: true });
  form = () => ({ action: 'accept', content: { untitledSingle: 'option2', titledSingle: 'value1',
    legacyEnum: 'opt1', untitledMulti: ['option1', 'option3'], titledMulti: ['value2'] } });
  const chosen = await tool('elicitation_sep1330_enums');
  assert.ok(!chosen.isError, text(chosen));
  for (const action of ['decline', 'cancel']) {
    form = () => ({ action });
    const refused = await tool('elicitation', { message: 'Who?' });
    assert.equal(refused.isError, true);
    assert.match(text(refused), /said no/);
  }
}

async function checkInputs() {
  assert.match(text(await tool('elicitation_url')), /opened/);
  const { elicitationId } = asked.at(-1);
  assert.equal(elicitationId === undefined, modern);
  if (!modern) {
    await waitFor('elicitation/complete', () => heard['elicitation/complete']?.length > 0);
    assert.equal(heard['elicitation/complete'][0].elicitationId, elicitationId);
  }
  assert.equal(text(await tool('sampling', { prompt: 'Which capital?' })), 'LLM response: Paris');
  assert.equal(asked.at(-1).messages[0].content.text, 'Which capital?');
  assert.match(text(await tool('list_roots')), /1 folders/);
  form = ({ requestedSchema }) => ({ action: 'accept', content: Object.fromEntries(
    Object.keys(requestedSchema.properties).map((name) => [name, 'x'])) });
  assert.match(text(await tool('input_required_result_multi_round')), /Both steps/);
  assert.match(text(await tool('input_required_result_multiple_inputs')), /All inputs/);
  assert.ok((await client.getPrompt({ name: 'test_input_required_result_prompt' })).messages[0]);
}

await checkContent();
await checkResources();
await checkPrompts();
await checkNotifications();
await checkForms();
await checkInputs();
await checkSubscriptions();
await client.close();
