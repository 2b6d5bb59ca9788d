const x = <T>(y);
export abstract class A<T> { abstract m(): void; c(): number { return 1 } @dec() /** d */ foo(){} private readonly n: string = "a"; }
namespace N { export function q(){} const inn = 1; }
declare module "m" { export function r(): void; }
declare global { interface Window { a: 1 } }
function ov(a: string): void;
function ov(a: number): void;
function ov(a: any) {}
type T1 = { a: 1 };
enum E { A, B }
/** idoc */
export interface I { m(): void }
/** wrapped */
@Injectable()
export class D {}
