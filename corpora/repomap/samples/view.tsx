import { useState } from "react";
import { Cart } from "./cart";

interface Props {
  cart: Cart<string>;
  onPay?: () => void;
}

/** One row. */
const Row = ({ label }: { label: string }) => <li>{label}</li>;

export function View({ cart, onPay }: Props): JSX.Element {
  const [open, setOpen] = useState(false);
  const toggle = () => setOpen(!open);
  return (
    <ul onClick={toggle}>
      <Row label={cart.name} />
      <Panel.Body><Total of={cart}>x</Total></Panel.Body>
    </ul>
  );
}
