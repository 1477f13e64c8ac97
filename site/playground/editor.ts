import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** A text field for code. */
export interface Editor {
  readonly code: string;
  focus(): void;
  set(code: string): void;
  destroy(): void;
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
    destroy: () => {
      view.destroy();
    },
  };
}
