/** What is bought. */
export interface Item<T = string> extends Named {
  readonly id: T;
  /** In cents. */
  price(currency: string): number;
  label?: string;
}

export type Prices = Record<string, number>;

export enum State { Open, Paid }

export const enum Flag { A = 1 }

// Rounds to cents.
export function round(value: number): number;
export function round(value: number, digits = 2): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}

/**
 * A cart.
 * @template T ids
 */
@Injectable()
export default abstract class Cart<T> extends Base<T> implements Named, Priced {
  private items: Item<T>[] = [];
  static readonly LIMIT = 99;

  constructor(private readonly store: Store) {
    super();
  }

  /** Sums it up. */
  async total(currency: string = "EUR"): Promise<number> {
    return round(this.items.reduce((sum, item) => sum + item.price(currency), 0));
  }

  get size(): number { return this.items.length; }

  private handler = (event: Event): void => {
    this.emit(event);
  };

  protected abstract emit(event: Event): void;
}

export const DEFAULTS: Prices = {
  book: 1000,
  pen: 100,
};

const format = async (value: number): Promise<string> => `${round(value)}`;

export const total = function (cart: Cart<string>) { return cart.total(); };

let opened = 0;

declare module "shop" {
  export function open(name: string): Cart<string>;
}

namespace Shop.Internal {
  export class Till {}
}

declare function external(a: number): void;

import { open as openShop, type Closed } from "shop";
import React from "react";

export { format as formatted };

openShop("x").then((c: Cart<string>) => new Shop.Internal.Till());
