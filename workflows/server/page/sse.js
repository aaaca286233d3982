// Reads server-sent events from pieces of text, which may be cut anywhere.
const longest = 64 * 1024 * 1024;  // maximum characters of one message

export class SseReader {
  #rest = "";
  #from = 0;  // length of the searched text, without a line end
  #data = [];
  #size = 0;
  lastId = null;

  /// The messages that `piece` completes, as {id, data}.
  read(piece) {
    const messages = [];
    this.#rest += piece;
    let start = 0, end;
    while ((end = this.#rest.indexOf("\n", Math.max(start, this.#from))) >= 0) {
      this.#line(this.#rest.slice(start, this.#rest[end - 1] === "\r" && end > start ? end - 1 : end), messages);
      start = end + 1;
      this.#from = start;
    }
    this.#rest = this.#rest.slice(start);
    this.#from = this.#rest.length;
    if (this.#rest.length + this.#size > longest) throw new Error("an event is longer than this page can show");
    return messages;
  }

  #line(line, messages) {
    if (line === "") {
      if (this.#data.length) messages.push({ id: this.lastId, data: this.#data.join("\n") });
      this.#data = [];
      this.#size = 0;
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;  // a comment: the server is alive
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") {
      this.#data.push(value);
      this.#size += value.length;
    } else if (name === "id" && /^\d{1,15}$/.test(value)) this.lastId = Number(value);
  }
}
