"use strict";

// The page works without this script: then it shows the pictures one beside the other.
document.documentElement.classList.add("scripted");

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const MARGIN = 16; // of grey around a whole picture, in pixels of the screen
const LARGEST = 32; // pixels of the screen for one of the picture, at most
const CRISP = 3; // from here on pixels are squares

function within(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/** Two pictures on one stage, moved and magnified together. */
class Viewer {
  /** @param place what to fill; @param layers [{title, source, scale}]; @param tint its address */
  constructor(place, layers, size, tint) {
    place.append(document.getElementById("viewer").content.cloneNode(true));
    this.root = place.querySelector(".viewer");
    this.stage = this.root.querySelector(".stage");
    this.divider = this.root.querySelector(".divider");
    this.amount = this.root.querySelector(".below > .amount input");
    this.panes = this.bySide(".pane");
    this.tags = this.bySide(".tag");
    this.picks = this.bySide("select");
    this.width = size[0];
    this.height = size[1];
    this.layers = layers;
    this.shown = { a: 0, b: Math.min(1, layers.length - 1) };
    this.position = { slider: 0.5, opacity: 0.5 };
    this.view = "slider";
    this.fitted = true;
    this.held = this.second = this.playing = false;
    this.pointers = new Map();
    this.layOut(tint);
    this.listen();
    this.choose("slider");
  }

  bySide(selector) {
    const find = (side) => this.root.querySelector(`${selector}[data-side="${side}"]`);
    return { a: find("a"), b: find("b") };
  }

  action(name) {
    return this.root.querySelector(`[data-do="${name}"]`);
  }

  /** Put a picture, and the tint above it, on each sheet. */
  layOut(tint) {
    for (const side of ["a", "b"]) {
      const sheet = this.panes[side].firstElementChild;
      sheet.style.width = `${this.width}px`;
      sheet.style.height = `${this.height}px`;
      const picture = new Image();
      picture.draggable = false;
      sheet.append(picture);
      if (tint) {
        const layer = new Image();
        Object.assign(layer, { className: "tint", src: tint, alt: "", draggable: false });
        sheet.append(layer);
      }
    }
    if (!tint) this.root.querySelector(".tinting").remove();
    this.setLayers(this.layers);
  }

  setLayers(layers, shown = this.shown) {
    this.layers = layers;
    for (const side of ["a", "b"]) {
      this.picks[side].replaceChildren(...layers.map((layer, k) => new Option(layer.title, k)));
    }
    this.show(shown.a, shown.b);
  }

  /** Show two pictures, by their numbers. */
  show(a, b) {
    this.shown = { a, b };
    const scales = [];
    for (const side of ["a", "b"]) {
      const layer = this.layers[this.shown[side]];
      const picture = this.panes[side].querySelector("img");
      if (picture.src !== layer.source) picture.src = layer.source;
      picture.alt = layer.title;
      this.tags[side].textContent = layer.title;
      this.picks[side].value = this.shown[side];
      if (layer.scale) scales.push(layer.scale.cloneNode(true));
    }
    this.root.querySelector(".legend").replaceChildren(...scales);
    this.draw();
  }

  choose(view) {
    this.view = this.root.dataset.view = view;
    for (const button of this.root.querySelectorAll(".views button")) {
      button.setAttribute("aria-pressed", String(button.dataset.view === view));
    }
    const label = this.amount.previousElementSibling;
    label.textContent = view === "opacity" ? "Right over left" : "Divider";
    this.amount.value = 1000 * (this.position[view] ?? 0.5);
    this.play(view === "blink" && !calm.matches);
    if (this.fitted) this.fit();
    else this.draw();
  }

  /** Let the blinking go by itself, or stop it. */
  play(go) {
    this.playing = go;
    clearInterval(this.timer);
    this.second = false;
    if (go) {
      this.timer = setInterval(() => {
        this.second = !this.second;
        this.draw();
      }, Number(this.action("pace").value));
    }
    this.action("play").setAttribute("aria-pressed", String(go));
    this.draw();
  }

  hold(on) {
    if (this.held === on) return;
    this.held = on;
    this.draw();
  }

  get pane() {
    const across = this.view === "beside" ? this.stage.clientWidth / 2 - 2 : this.stage.clientWidth;
    return { width: Math.max(across, 1), height: Math.max(this.stage.clientHeight, 1) };
  }

  /** The scale at which the whole picture is seen. */
  get whole() {
    const { width, height } = this.pane;
    const room = Math.max(1, Math.min(width, height) - 2 * MARGIN) / Math.min(width, height);
    return room * Math.min(width / this.width, height / this.height);
  }

  /** The smallest scale: the whole picture, or its pixels one by one if it is a small one. */
  get smallest() {
    return Math.min(this.whole, 1 / devicePixelRatio);
  }

  fit() {
    this.fitted = true;
    this.scale = this.whole;
    this.centre = [this.width / 2, this.height / 2];
    this.draw();
  }

  /** Magnify by a factor; the point of the picture at (x, y) of its pane stays where it is. */
  zoom(factor, x = this.pane.width / 2, y = this.pane.height / 2) {
    const { width, height } = this.pane;
    const most = Math.max(LARGEST / devicePixelRatio, this.whole);
    const scale = within(this.scale * factor, this.smallest, most);
    this.centre[0] += (x - width / 2) * (1 / this.scale - 1 / scale);
    this.centre[1] += (y - height / 2) * (1 / this.scale - 1 / scale);
    this.scale = scale;
    this.fitted = Math.abs(scale / this.whole - 1) < 1e-4;
    this.draw();
  }

  /** Move the picture by so many pixels of the screen. */
  move(x, y) {
    this.centre[0] -= x / this.scale;
    this.centre[1] -= y / this.scale;
    this.draw();
  }

  divide(share) {
    this.position[this.view] = within(share, 0, 1);
    this.amount.value = 1000 * this.position[this.view];
    this.draw();
  }

  draw() {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.drawNow());
  }

  /** Only transforms, clips and opacities change: nothing is painted again. */
  drawNow() {
    this.frame = 0;
    if (!this.scale) return;
    const { width, height } = this.pane;
    const s = (this.scale = Math.max(this.scale, this.smallest));
    const kept = (centre, side, room) => {
      const half = room / 2 / s;
      return side <= 2 * half ? side / 2 : within(centre, half, side - half);
    };
    this.centre = [
      kept(this.centre[0], this.width, width),
      kept(this.centre[1], this.height, height),
    ];
    const left = width / 2 - this.centre[0] * s;
    const top = height / 2 - this.centre[1] * s;
    for (const side of ["a", "b"]) {
      this.panes[side].firstElementChild.style.transform = `translate(${left}px, ${top}px) scale(${s})`;
    }
    this.drawSecond();
    this.root.classList.toggle("near", s > this.whole * 1.0001);
    this.root.classList.toggle("crisp", s * devicePixelRatio >= CRISP);
    this.root.querySelector("output").textContent = `${Math.round(100 * s * devicePixelRatio)} %`;
  }

  /** How much of the right picture is seen: it lies above the left one. */
  drawSecond() {
    const over = this.panes.b.style;
    const share = this.position[this.view];
    const alone = this.held && this.view !== "beside";
    over.clipPath = this.view === "slider" && !alone ? `inset(0 0 0 ${100 * share}%)` : "";
    over.opacity = this.view === "opacity" && !alone ? share : "";
    over.visibility = this.view === "blink" && !alone && !this.second ? "hidden" : "";
    this.divider.style.left = `${100 * this.position.slider}%`;
    const second = alone || this.second;
    this.tags.a.classList.toggle("away", second);
    this.tags.b.classList.toggle("away", !second);
  }

  tinted(on) {
    this.root.classList.toggle("tinted", on);
  }

  act(name) {
    const actions = {
      in: () => this.zoom(1.5),
      out: () => this.zoom(1 / 1.5),
      fit: () => this.fit(),
      one: () => this.zoom(1 / devicePixelRatio / this.scale),
      swap: () => this.show(this.shown.b, this.shown.a),
      play: () => this.play(!this.playing),
    };
    actions[name]?.();
  }

  listen() {
    this.root.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      if (button.dataset.view) this.choose(button.dataset.view);
      else this.act(button.dataset.do);
    });
    for (const side of ["a", "b"]) {
      this.picks[side].addEventListener("change", () => this.pick(side));
    }
    this.amount.addEventListener("input", () => this.divide(this.amount.value / 1000));
    this.action("pace").addEventListener("input", () => this.play(true));
    this.action("tint")?.addEventListener("change", (event) => this.tinted(event.target.checked));
    this.action("strength")?.addEventListener("input", (event) => {
      this.stage.style.setProperty("--strength", event.target.value / 100);
    });
    this.listenToHolding();
    this.listenToPointers();
    this.listenToKeys();
    new ResizeObserver(() => (this.fitted ? this.fit() : this.draw())).observe(this.stage);
  }

  /** The picture that was chosen; if the other side has it, the two change places. */
  pick(side) {
    const chosen = Number(this.picks[side].value);
    const other = side === "a" ? "b" : "a";
    const shown = { ...this.shown, [side]: chosen };
    if (this.shown[other] === chosen) shown[other] = this.shown[side];
    this.show(shown.a, shown.b);
  }

  /** Show the next picture on the right, or the one before; not the one on the left. */
  turn(step) {
    const count = this.layers.length;
    if (count < 3 || this.root.querySelector(".chosen").hidden) return;
    let b = (this.shown.b + step + count) % count;
    if (b === this.shown.a) b = (b + step + count) % count;
    this.show(this.shown.a, b);
  }

  listenToHolding() {
    const button = this.action("hold");
    button.addEventListener("pointerdown", () => this.hold(true));
    button.addEventListener("keydown", (event) => {
      if (event.key === " " || event.key === "Enter") this.hold(true);
    });
    button.addEventListener("keyup", () => this.hold(false));
    for (const kind of ["pointerup", "pointercancel", "blur"]) {
      window.addEventListener(kind, () => this.hold(false));
    }
  }

  listenToPointers() {
    const stage = this.stage;
    stage.addEventListener("pointerdown", (event) => this.press(event));
    stage.addEventListener("pointermove", (event) => this.drag(event));
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) {
      stage.addEventListener(kind, (event) => this.release(event));
    }
    stage.addEventListener("dblclick", (event) => this.zoom(2, ...this.inPane(event)));
    stage.addEventListener(
      "wheel",
      (event) => {
        // The wheel scrolls the page until somebody has clicked into the stage.
        if (!event.ctrlKey && !event.metaKey && document.activeElement !== stage) return;
        event.preventDefault();
        this.busy();
        this.zoom(Math.exp(-within(event.deltaY, -200, 200) / 300), ...this.inPane(event));
      },
      { passive: false },
    );
  }

  /** While things move the browser keeps them as they are; then it draws them sharp. */
  busy() {
    this.stage.classList.add("moving");
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.stage.classList.remove("moving"), 200);
  }

  inPane(event) {
    const box = this.stage.getBoundingClientRect();
    const x = event.clientX - box.left;
    const beyond = this.view === "beside" && x > box.width / 2;
    return [beyond ? x - box.width / 2 - 2 : x, event.clientY - box.top];
  }

  press(event) {
    if (event.button !== 0) return;
    if (event.target === this.divider) this.dividing = event.pointerId;
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    this.stage.setPointerCapture(event.pointerId);
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    this.busy();
    if (this.dividing === event.pointerId) {
      const box = this.stage.getBoundingClientRect();
      this.divide((event.clientX - box.left) / box.width);
    } else if (this.pointers.size === 1) {
      this.move(now[0] - before[0], now[1] - before[1]);
    } else {
      this.pinch(event, before, now);
    }
    this.pointers.set(event.pointerId, now);
  }

  /** One of two fingers has moved: the middle between them moves, and their distance counts. */
  pinch(event, before, now) {
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
    const apart = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
    const middle = { clientX: (now[0] + other[0]) / 2, clientY: (now[1] + other[1]) / 2 };
    this.move((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    if (apart(before) > 0) this.zoom(apart(now) / apart(before), ...this.inPane(middle));
  }

  release(event) {
    this.pointers.delete(event.pointerId);
    if (this.dividing === event.pointerId) this.dividing = undefined;
  }

  listenToKeys() {
    const active = () => this.root.contains(document.activeElement) || this.root.matches(":hover");
    const writes = (element) => /^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName);
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || writes(event.target)) return;
      if (active() && this.key(event.key, document.activeElement === this.stage)) {
        event.preventDefault();
      }
    });
    document.addEventListener("keyup", (event) => {
      if (event.key.toLowerCase() === "b") this.hold(false);
    });
  }

  /** Do what a key asks for, and tell whether it did. Arrows scroll the page unless focused. */
  key(key, focused) {
    const views = ["slider", "blink", "opacity", "beside"];
    const step = 60;
    const keys = {
      b: () => this.hold(true),
      x: () => this.act("swap"),
      t: () => this.action("tint")?.click(),
      "+": () => this.act("in"),
      "=": () => this.act("in"),
      "-": () => this.act("out"),
      "−": () => this.act("out"),
      ",": () => this.turn(-1),
      ".": () => this.turn(1),
      0: () => this.fit(),
      "[": () => this.divide((this.position[this.view] ?? 0.5) - 0.05),
      "]": () => this.divide((this.position[this.view] ?? 0.5) + 0.05),
    };
    views.forEach((view, k) => (keys[k + 1] = () => this.choose(view)));
    if (focused) {
      Object.assign(keys, {
        arrowleft: () => this.move(step, 0),
        arrowright: () => this.move(-step, 0),
        arrowup: () => this.move(0, step),
        arrowdown: () => this.move(0, -step),
      });
    }
    const action = keys[key.toLowerCase()];
    action?.();
    return Boolean(action);
  }
}
