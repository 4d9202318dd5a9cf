// The blind comparison.

/** The comparison of results whose names are told at the end. */
class Judge {
  constructor(place, data, images) {
    this.place = place;
    this.data = data;
    this.names = data.names.map((name) => new TextDecoder().decode(bytes(name)));
    this.answers = [];
    this.images = images;
    const layers = images.map((image) => ({ title: "", source: image.src }));
    const size = ["width", "height"].map((side) => Number(images[0].getAttribute(side)));
    this.viewer = new Viewer(place, layers, size);
    this.viewer.root.querySelector(".chosen").hidden = true;
    this.answerBar = document.createElement("div");
    this.answerBar.className = "answer-bar";
    place.append(this.answerBar);
    this.ask();
  }

  ask() {
    const pair = this.data.pairs[this.answers.length];
    if (!pair) return this.tell();
    const titles = this.images.map(() => "");
    titles[pair[0]] = "Left";
    titles[pair[1]] = "Right";
    const layers = this.images.map((image, k) => ({ title: titles[k], source: image.src }));
    this.viewer.setLayers(layers, { a: pair[0], b: pair[1] });
    const count = document.createElement("span");
    count.className = "count";
    count.setAttribute("role", "status");
    count.textContent = `Comparison ${this.answers.length + 1} of ${this.data.pairs.length}`;
    const back = button("Back", () => this.take());
    back.disabled = this.answers.length === 0;
    this.answerBar.replaceChildren(
      button("Left is better", () => this.answer(pair, pair[0])),
      button("No difference", () => this.answer(pair, null)),
      button("Right is better", () => this.answer(pair, pair[1])),
      back,
      count,
    );
  }

  answer(pair, better) {
    this.answers.push({ pair, better });
    this.ask();
    this.answerBar.querySelector("button, input")?.focus();
  }

  take() {
    this.answers.pop();
    this.ask();
    this.answerBar.querySelector("button").focus();
  }

  points(k) {
    const one = (answer) => (answer.better === null ? 0.5 : Number(answer.better === k));
    return this.answers
      .filter((answer) => answer.pair.includes(k))
      .reduce((sum, answer) => sum + one(answer), 0);
  }

  /** All is answered: names, order, and the answers as a file for the record. */
  tell() {
    const layers = this.images.map((image, k) => ({ title: this.names[k], source: image.src }));
    this.viewer.setLayers(layers, this.viewer.shown);
    this.viewer.root.querySelector(".chosen").hidden = false;
    const order = this.names.map((name, k) => [name, this.points(k)]);
    order.sort((p, q) => q[1] - p[1]);
    const table = document.createElement("table");
    table.className = "order";
    table.createTHead().innerHTML =
      '<tr><th scope="col">Result</th><th scope="col" class="number">Points</th></tr>';
    const body = table.createTBody();
    for (const [name, points] of order) {
      const row = body.insertRow();
      row.insertCell().textContent = name;
      const cell = row.insertCell();
      cell.className = "number";
      cell.textContent = points;
    }
    const text = document.createElement("pre");
    text.id = "answers";
    text.tabIndex = 0;
    const by = document.createElement("input");
    by.addEventListener("input", () => (text.textContent = this.json(by.value)));
    text.textContent = this.json("");
    const label = document.createElement("label");
    label.append("Judged by ", by);
    const copying = button("Copy", () => copy(text, copying));
    this.answerBar.replaceChildren(
      table,
      label,
      copying,
      button("Download", () => download("ranking.json", text.textContent)),
      button("Once more", () => this.again()),
      text,
    );
  }

  again() {
    this.answers = [];
    this.viewer.root.querySelector(".chosen").hidden = true;
    this.ask();
  }

  json(by) {
    const { format, kind, sha256_of_pixels } = this.data;
    const name = (k) => (k === null ? null : this.names[k]);
    const answers = this.answers.map(({ pair, better }) => ({
      pair: pair.map(name),
      better: name(better),
    }));
    return JSON.stringify({ format, kind, sha256_of_pixels, by, answers }, null, 1);
  }
}

function bytes(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
