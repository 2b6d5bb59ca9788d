#!/usr/bin/env node
// Licence of the file.

import fs, { readFile as read } from "node:fs";
import * as path from "node:path";

/** How many times a call is tried. */
export const RETRIES = 3;
let größe = "🎉", plain = 2;
const { a, b } = require("./pair");

/**
 * Adds a tax.
 * @param {number} price in cents
 */
export function tax(price, { rate = 0.19 } = {}) {
  const inner = (x) => x * rate;
  function helper() { return inner(price); }
  return helper();
}

function* pages(start) { yield start; }

async function* stream() { yield* pages(1); }

// Debounces.
export const debounce = (fn, ms) => {
  let timer;
  return (...args) => { clearTimeout(timer); timer = setTimeout(() => fn(...args), ms); };
};

const Wrapped = memo(function Inner(props) { return props.x; });
const legacy = function () { return 1; };
export const Shape = class extends Base { area() { return 0; } };

/** A queue of jobs. */
@observable
export class Queue extends Base {
  static #count = 0;
  jobs = [];
  onDone = (job) => { this.jobs.push(job); };

  /** Starts empty. */
  constructor(name) { super(name); }

  get size() { return this.jobs.length; }
  set size(value) { this.jobs.length = value; }

  /** Runs all. */
  @logged
  async run(limit = 10) { for (const job of this.jobs) await job(limit); }

  static #drain() {}
  static { Queue.ready = true; }
  [Symbol.iterator]() { return this.jobs[Symbol.iterator](); }
  *each() { yield* this.jobs; }
  "quoted name"() {}
}

Queue.prototype.stop = function stop() { this.jobs = []; };

module.exports = {
  /** Opens. */
  open(file) { return read(file); },
  close: async () => {},
  options: { deep() { return 1; } },
  limit: 3,
};

export default { name: "Panel", methods: { toggle() {} }, computed: { total: () => 0 } };

export { tax as vat, default as other } from "./tax.js";
export * from "./all.js";

describe("Queue", () => {
  beforeEach(() => reset());
  const made = new Queue("é");
  it(`runs "all" jobs`, async () => { await made.run(); });
  test.each([1, 2])("takes %i", (n) => { expect(n).toBe(n); });
  describe.skip('when empty', function () { it.only("stops", () => {}); });
});
