#!/usr/bin/env node
// Replaces the program of bench/client-go. It does not change a list, and it puts the length in
// front of each line.
import { Buffer } from 'node:buffer';
import { createInterface } from 'node:readline';

if (process.argv[3] === 'list') {
  process.stdin.pipe(process.stdout);
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(line));
    process.stdout.write(Buffer.concat([length, Buffer.from(line)]));
  }
}
