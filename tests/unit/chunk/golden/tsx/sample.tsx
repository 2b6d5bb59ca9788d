import React, { useState, type FC } from "react";
import { Button } from "./button";

interface Props<T> {
  items: T[];
  onPick?: (item: T) => void;
  render(item: T): React.ReactNode;
}

type State = "open" | "closed";

/** Shows a list. */
export function List<T extends { id: string }>({ items, onPick, render }: Props<T>) {
  const [state, setState] = useState<State>("open");
  const handle = (item: T) => { setState("closed"); onPick?.(item); };
  return (
    <ul title="é 🎉">
      {items.map((item) => <li key={item.id} onClick={() => handle(item)}>{render(item)}</li>)}
    </ul>
  );
}

/** Says hello. */
export const Hello: FC<{ name: string }> = ({ name }) => <p>Hello {name}</p>;

export const Memo = React.memo(function MemoInner({ n }: { n: number }) {
  return <b>{n}</b>;
});

export const Input = React.forwardRef<HTMLInputElement, Props<string>>((props, ref) => (
  <input ref={ref} />
));

export class Panel extends React.Component<{}, State> {
  static defaultProps = { open: true };
  state: State = "open";
  /** Toggles. */
  toggle = () => this.setState("closed");
  render() { return <Button onClick={this.toggle}>é</Button>; }
}

const Context = React.createContext<State>("open");

enum Mode { Light, Dark }

namespace Theme { export const dark = "#000"; }

export default React.memo(Panel);

describe("<Panel />", () => {
  it("renders", () => { render(<Panel />); });
});
