// What all parts of the page share, and its beginning.

function button(text, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", action);
  return made;
}

async function copy(element, from) {
  const before = from.textContent;
  try {
    await navigator.clipboard.writeText(element.textContent);
    from.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(element); // the reader has but to press Ctrl-C
    from.textContent = "Marked: press Ctrl-C";
  }
  setTimeout(() => (from.textContent = before), 2000);
}

function download(name, text) {
  const link = document.createElement("a");
  link.href = `data:application/json;charset=utf-8,${encodeURIComponent(text)}`;
  link.download = name;
  link.click();
}

function start() {
  const figures = [...document.querySelectorAll("figure.layer")];
  const layers = figures.map((figure) => ({
    name: figure.dataset.name,
    title: figure.querySelector(".name").textContent,
    source: figure.querySelector("img").src,
    scale: figure.querySelector(".scale"),
  }));
  const first = figures[0].querySelector("img");
  const size = [Number(first.getAttribute("width")), Number(first.getAttribute("height"))];
  const tint = document.getElementById("tint")?.src;
  const place = document.getElementById("looking");
  const viewer = new Viewer(place, layers, size, tint);
  const at = (name) => layers.findIndex((layer) => layer.name === name);
  viewer.show(at(place.dataset.left), at(place.dataset.right));
  for (const each of document.querySelectorAll("[data-show]")) {
    each.addEventListener("click", () => {
      viewer.show(at(each.dataset.beside), at(each.dataset.show));
      place.scrollIntoView();
      viewer.stage.focus({ preventScroll: true });
    });
  }
  for (const each of document.querySelectorAll("[data-copy]")) {
    each.addEventListener("click", () => copy(document.getElementById(each.dataset.copy), each));
  }
  const ranked = [...document.querySelectorAll("[data-rank]")];
  if (ranked.length) {
    ranked.sort((p, q) => p.dataset.rank - q.dataset.rank);
    const data = JSON.parse(document.getElementById("ranking").textContent);
    new Judge(document.getElementById("judge"), data, ranked);
  }
}

start();
