import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  WidgetType,
  drawSelection,
  highlightActiveLine,
  keymap,
  lineNumbers,
  type DecorationSet,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** A text field for code. */
export interface Editor {
  readonly code: string;
  focus(): void;
  set(code: string): void;
  /** Shows a mistake below its line, until the code changes. */
  showMistake(mistake: Mistake): void;
  destroy(): void;
}

/** A mistake in the code. Line and column are counted from 1. */
export interface Mistake {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

const mistakeShown = StateEffect.define<Mistake>();

/** The mistake that the editor shows, which disappears with the next change of the code. */
const mistakes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { docChanged, effects, state }) {
    const mistake = effects.find((effect) => effect.is(mistakeShown))?.value as Mistake | undefined;
    if (mistake === undefined) return docChanged ? Decoration.none : shown;
    const line = state.doc.line(Math.min(Math.max(mistake.line, 1), state.doc.lines));
    return Decoration.set([
      Decoration.line({ class: 'pg-wrong-line' }).range(line.from),
      Decoration.widget({ widget: new MistakeBelow(mistake), block: true, side: 1 }).range(line.to),
    ]);
  },
  provide: (field) => EditorView.decorations.from(field),
});

class MistakeBelow extends WidgetType {
  constructor(readonly mistake: Mistake) {
    super();
  }
  toDOM(): HTMLElement {
    const { column, message } = this.mistake;
    const element = document.createElement('div');
    element.className = 'pg-wrong';
    element.textContent = `${' '.repeat(Math.max(column - 1, 0))}^ ${message}`;
    return element;
  }
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'var(--pg-keyword)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--pg-string)' },
  { tag: [tags.comment], color: 'var(--muted, var(--vp-c-text-2))' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--pg-number)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--pg-function)' },
]);

/**
 * Opens an editor. Tab moves the focus out of it, so that the keyboard is not trapped. Ctrl+Enter
 * runs the program.
 */
export function openEditor(parent: HTMLElement, code: string, run: () => void): Editor {
  const runs = (): boolean => {
    run();
    return true;
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: code,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        indentOnInput(),
        highlightActiveLine(),
        keymap.of([{ key: 'Mod-Enter', run: runs }, ...defaultKeymap, ...historyKeymap]),
        javascript({ typescript: true }),
        syntaxHighlighting(colours),
        mistakes,
        EditorView.contentAttributes.of({ 'aria-label': 'Code of the example. Ctrl and Enter run it.' }),
      ],
    }),
  });
  return {
    get code() {
      return view.state.doc.toString();
    },
    focus: () => {
      view.focus();
    },
    set: (text) => {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    showMistake: (mistake) => {
      view.dispatch({ effects: mistakeShown.of(mistake) });
    },
    destroy: () => {
      view.destroy();
    },
  };
}
