// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The official client of the 2.x line, in the era that is asked for.
//
// node sdk-2.mjs PROGRAM MAILDIR legacy|auto|modern

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { exercise } from './exercise.mjs';

const [program, maildir, era] = process.argv.slice(2);
const modes = { legacy: 'legacy', auto: 'auto', modern: { pin: '2026-07-28' } };

const transport = new StdioClientTransport({
  command: program, args: ['--maildir', maildir], env: process.env, stderr: 'inherit',
});
const client = new Client({ name: 'postbag-tests', version: '1.0.0' },
  { capabilities: {}, versionNegotiation: { mode: modes[era] } });
client.onerror = (error) => { throw error; };
await client.connect(transport);
assert.equal(client.getNegotiatedProtocolVersion(), era === 'legacy' ? '2025-11-25' : '2026-07-28');
assert.ok(client.getServerCapabilities().tools);
assert.ok(client.getServerVersion().version);
await exercise(client, (name, args) => client.callTool({ name, arguments: args }));
await assert.rejects(client.callTool({ name: 'unheard_of', arguments: {} }));
await client.close();
