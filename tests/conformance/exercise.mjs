// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What each client does with the demo mailbox: every reading tool, with good and bad arguments.

import assert from 'node:assert/strict';

export async function exercise(client, call) {
  const { tools } = await client.listTools();
  const names = new Set(tools.map((tool) => tool.name));
  for (const name of ['list_mailboxes', 'list_messages', 'get_message', 'get_attachments']) {
    assert.ok(names.has(name), `${name} is listed`);
  }
  assert.ok(!names.has('delete_messages'), 'writing was not granted');

  const mailboxes = await call('list_mailboxes', {});
  assert.ok(!mailboxes.isError, JSON.stringify(mailboxes.content));
  assert.equal(mailboxes.structuredContent.mailboxes.length, 6);
  if (names.has('get_server_info')) {
    assert.equal((await call('get_server_info', {})).structuredContent.can_send_mail, false);
  }

  const listed = await call('list_messages', { limit: 200 });
  const { messages } = listed.structuredContent;
  assert.equal(messages.length, 26);
  for (const { uid, hasAttachments } of messages) {
    const message = await call('get_message', { uid });
    assert.ok(!message.isError, JSON.stringify(message.content));
    assert.equal(message.structuredContent.uid, uid);
    if (hasAttachments) {
      const { attachments } = (await call('get_attachments', { uid })).structuredContent;
      assert.ok(attachments.length > 0);
    }
  }

  const found = await call('list_messages', { subject: 'Lisbon' });
  assert.equal(found.structuredContent.total_matching, 3);
  for (const [tool, bad] of [['get_message', { uid: 999999 }], ['get_message', {}],
    ['list_messages', { mailbox: 'Nowhere' }], ['list_messages', { limit: 0 }]]) {
    assert.equal((await call(tool, bad)).isError, true, `${tool} ${JSON.stringify(bad)}`);
  }
}
