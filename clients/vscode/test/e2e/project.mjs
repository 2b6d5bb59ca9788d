// The project that the tests search: small, in several languages, with what is asked for in other words.

import fs from 'node:fs';
import path from 'node:path';

export const FILES = {
  'src/limits.py': `"""Who may do how much."""

from clock import today


class Limiter:
    """Counts what users send."""

    def __init__(self):
        self.sent = {}

    def check_quota(self, user):
        """Whether a user may send more messages today."""
        return self.sent.get((user, today()), 0) < 10

    def reset(self, user):
        """Forgets what a user has sent."""
        self.sent.pop((user, today()), None)
`,
  'src/transport/backoff.go': `package transport

import "time"

// nextDelay doubles the pause after each refused attempt, up to a minute.
func nextDelay(attempt int) time.Duration {
	pause := time.Second << attempt
	if pause > time.Minute {
		return time.Minute
	}
	return pause
}

// Dial opens a connection and tries again after a pause when the peer refuses.
func Dial(address string, attempts int) error {
	for attempt := 0; attempt < attempts; attempt++ {
		if err := open(address); err == nil {
			return nil
		}
		time.Sleep(nextDelay(attempt))
	}
	return errUnavailable
}
`,
  'src/auth/credentials.ts': `import { scrypt, timingSafeEqual } from 'node:crypto';

export interface Account {
  salt: string;
  digest: Buffer;
}

/** Hashes what was typed and compares it with what is stored, in constant time. */
export async function verifySecret(account: Account, typed: string): Promise<boolean> {
  const digest = await derive(typed, account.salt);
  return timingSafeEqual(digest, account.digest);
}

function derive(typed: string, salt: string): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(typed, salt, 64, (error, key) => (error ? reject(error) : resolve(key))),
  );
}
`,
  'src/store/cache.rs': `use std::collections::HashMap;

/// Keeps the most recently used entries and drops the others.
pub struct Cache<V> {
    entries: HashMap<String, (u64, V)>,
    capacity: usize,
    clock: u64,
}

impl<V> Cache<V> {
    /// Removes the entry that nobody asked for the longest time.
    fn evict(&mut self) {
        if let Some(oldest) = self.entries.iter().min_by_key(|(_, (age, _))| *age).map(|(key, _)| key.clone()) {
            self.entries.remove(&oldest);
        }
    }

    pub fn put(&mut self, key: String, value: V) {
        if self.entries.len() >= self.capacity {
            self.evict();
        }
        self.clock += 1;
        self.entries.insert(key, (self.clock, value));
    }
}
`,
  'src/report/invoice.py': `"""Bills for customers."""


def total(lines, tax_rate):
    """The sum of all positions with tax."""
    net = sum(line.price * line.quantity for line in lines)
    return round(net * (1 + tax_rate), 2)


def render_pdf(invoice, template):
    """Lays a bill out on pages and returns the bytes of the document."""
    pages = template.paginate(invoice.lines)
    return template.draw(pages, header=invoice.customer.name)


def parse_amount(text):
    """Reads a sum of money as people write it: 1.234,50 or 1,234.50."""
    digits = text.replace(".", "").replace(",", ".")
    return float(digits)
`,
  'src/config/parse.py': `"""Reads the configuration."""


def parse(text):
    """Splits lines of name = value into a mapping; comments and blank lines are left out."""
    settings = {}
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name.strip() and not name.lstrip().startswith("#"):
            settings[name.strip()] = value.strip()
    return settings
`,
  // The columns of the second name are others in UTF-8 and UTF-16.
  'src/emoji.js': `const mood = '😋😋é'; function wipeStaleSessions(now, sessions) {
  return sessions.filter((session) => session.expires > now);
}
module.exports = { mood, wipeStaleSessions };
`,
  'tests/test_limits.py': `from limits import Limiter


def test_ten_messages_are_allowed():
    limiter = Limiter()

    assert limiter.check_quota("ann")
`,
};

/** Writes the project into a folder; `more` adds files, or takes some away with null. */
export function writeProject(folder, more = {}) {
  for (const [name, text] of Object.entries({ ...FILES, ...more })) {
    if (text === null) continue;
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  return folder;
}
