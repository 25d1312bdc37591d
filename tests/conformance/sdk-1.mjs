// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The official client of the 1.x line (revision 2025-11-25): it validates every answer, and every
// structuredContent against the tool's outputSchema.
//
// node sdk-1.mjs PROGRAM MAILDIR

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { exercise } from './exercise.mjs';

const [program, maildir] = process.argv.slice(2);

async function connect(capabilities) {
  const transport = new StdioClientTransport({
    command: program, args: ['--maildir', maildir], env: process.env, stderr: 'inherit',
  });
  const client = new Client({ name: 'postbag-tests', version: '1.0.0' }, { capabilities });
  // An answer that crosses its cancellation on the way is allowed, nothing else is.
  client.onerror = (error) => {
    if (!/unknown message ID/.test(error.message)) {
      throw error;
    }
  };
  await client.connect(transport);
  return client;
}

const client = await connect({});
assert.equal(client.transport.protocolVersion ?? '2025-11-25', '2025-11-25');
await client.ping();
await exercise(client, (name, args) => client.callTool({ name, arguments: args }));
await assert.rejects(client.callTool({ name: 'unheard_of', arguments: {} }), /unheard_of|-32602/);

const slow = new AbortController();
const cancelled = client.callTool({ name: 'list_messages', arguments: { body: 'nowhere' } },
  undefined, { signal: slow.signal });
slow.abort('enough');
await assert.rejects(cancelled);
await client.ping();
await client.close();

// A client that could be asked: nothing may be asked for while reading.
const asked = await connect({ elicitation: {} });
await exercise(asked, (name, args) => asked.callTool({ name, arguments: args }));
await asked.close();
