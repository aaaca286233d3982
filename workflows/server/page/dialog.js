// Asks before an action that cannot be undone. The browser keeps the focus inside, and returns it at the end.
import { fresh, h } from "./dom.js";

export function confirm({ title, text, yes, no }) {
  return new Promise((resolve) => {
    const id = fresh("dialog"), about = fresh("about");
    const dialog = h("dialog", { "aria-labelledby": id, "aria-describedby": about },
      h("h2", { id }, title), h("p", { id: about }, text),
      h("form", { method: "dialog", class: "actions" },
        h("button", { value: "no", autofocus: true }, no), h("button", { value: "yes", class: "danger" }, yes)));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
