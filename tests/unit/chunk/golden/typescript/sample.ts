import type { Foo } from "./foo";
import { Bar, type Baz } from "./bar";

/** What may happen. */
export type Event<T = unknown> = { kind: "opened"; value: T } | { kind: "closed" };
type Mapper = <A, B>(value: A) => B;

/** Stores values. */
export interface Store<K extends string> extends Iterable<K> {
  readonly size: number;
  /** Looks up. */
  get(key: K): Promise<string | undefined>;
  set?(key: K, value: string): void;
  new (name: string): Store<K>;
  (key: K): string;
  handler: (event: Event) => void;
}

export enum Level {
  Low = 1,
  /** Not too high. */
  High = Low << 1,
}
const enum Flag { A, B }

export function parse(text: string): number;
export function parse(text: Buffer): number;
/** Parses both. */
export function parse(text: any): number { return Number(text); }

declare function external(name: string): void;
declare const VERSION: string;

export abstract class Repo<T extends { id: string }> implements Store<string> {
  private readonly items: Map<string, T> = new Map();
  static readonly LIMIT = 10;
  protected abstract url: string;
  declare name?: string;

  constructor(private readonly foo: Foo, public bar: Bar) { super(); }

  /** Where it lies. */
  abstract locate(id: string): URL;

  /** Takes one. */
  @Memo({ ttl: 60 })
  @Log()
  async take<R>(id: string, map: (item: T) => R): Promise<R> {
    const found = <T>this.items.get(id);
    return map(found);
  }

  get size(): number { return this.items.size; }
  onEvent = async (event: Event): Promise<void> => { await this.take(event.kind, (x) => x); };
  #secret(): void {}
  overload(a: string): void;
  overload(a: number): void;
  overload(a: unknown): void {}
}

@Component({
  selector: "app-root",
  template: "<p>é</p>",
})
export class AppComponent {}

/** Units. */
export namespace Units {
  export namespace Length { export const METRE = 1; export function toFeet(x: number) { return x * 3.28; } }
  const hidden = 2;
}
declare module "virtual:config" {
  export const mode: string;
  function load(): void;
}
declare global {
  interface Window { app: AppComponent }
}

/** Uses a store. */
export const useStore = <T,>(store: Store<string>, pick: (s: string) => T): T => {
  const [state, setState] = useState<T>();
  return state!;
};
export const config = { port: 80, handlers: { onOpen() {}, onClose: (e: Event) => {} } } satisfies Config;
export const enumLike = { A: "a" } as const;
let größe: string = "🎉", next = 2;

export default class extends Repo<Foo> { locate(id: string) { return new URL(id); } }

test("Repo takes", async () => { expect(1).toBe(1); });
