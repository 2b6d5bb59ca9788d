/** doc */
export class Foo { #p(){} static {} on = () => {}; get x(){return 1} set x(v){} [k]() {} async *g(){} constructor(){} }
export const f = async (a) => { return 1 }
const o = { a(){}, b: function(){}, c: 1 };
export default function(){}
module.exports = { q: () => 1 };
describe("thing", () => { const z = 1; it("does it", () => {}); });
let cnt = 0, d2 = 5;
export * from "x";
function outer(){ const inner = () => 1; const v = 2; }
const M = memo(function App(){ return 1 });
