/** Releases acknowledgements in the order in which they were requested, whenever each becomes ready. */
export class OrderedAcks {
  readonly #places: { readonly answer: () => void; ready: boolean }[] = [];

  /** Reserves the next position; call the result when its answer may be given. */
  reserve(answer: () => void): () => void {
    const place = { answer, ready: false };
    this.#places.push(place);
    return () => {
      place.ready = true;
      while (this.#places[0]?.ready === true) this.#places.shift()?.answer();
    };
  }
}
