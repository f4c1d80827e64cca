/** Calls without semicolons. */
export interface Calls {
  (text: string): Set<string>
  // With parameters of their own.
  <T>(value: T): Set<T>
  new (size: number): Calls
  first<T>(values: T[]): T
}

export declare function after(calls: Calls): void
