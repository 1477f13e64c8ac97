import type { SandboxBundle } from './bundle.js';
import { programOf } from './program.js';
import type { Command, Load, ModuleTexts, SandboxEvent, Start } from './protocol.js';
import { frameDocument } from './sandbox/frame.js';

/**
 * Functions that load the modules of the sandbox. The page loads each part when a program needs it.
 */
export interface Library {
  readonly base: () => Promise<ModuleTexts>;
  readonly extras: readonly (Omit<SandboxBundle['extras'][number], 'modules'> & {
    readonly modules: () => Promise<ModuleTexts>;
  })[];
}

/** A running program. */
export interface Session {
  send(command: Command): void;
  /** Removes the sandbox, including everything that the program started. */
  stop(): void;
}

/** A frame that loads the modules of the base or has loaded them. */
interface Sandbox {
  readonly frame: HTMLIFrameElement;
  /** Settles when the frame can receive a program. */
  readonly ready: Promise<unknown>;
}

let prepared: Sandbox | undefined;

/** Opens a sandbox for the first program, so that it loads while the page is still being built. */
export function prepareSandbox(library: Library): void {
  prepared ??= openSandbox(library);
}

/**
 * Runs JavaScript in a sandbox: a frame with an opaque origin and without network access.
 *
 * @param javascript code without types
 * @param onEvent receives what the program prints, emits and stores; this text may come from a
 * stranger, so do not trust it
 */
export function runInSandbox(javascript: string, library: Library, onEvent: (event: SandboxEvent) => void): Session {
  const { frame, ready } = prepared ?? openSandbox(library);
  prepared = undefined;
  const receive = ({ source, data }: MessageEvent<SandboxEvent>): void => {
    if (source === frame.contentWindow) onEvent(data);
  };
  addEventListener('message', receive);
  const fail = (error: unknown): void => {
    onEvent({ type: 'log', level: 'thrown', text: error instanceof Error ? error.message : String(error), at: 0 });
    onEvent({ type: 'finished', at: 0 });
  };
  Promise.all([startOf(javascript, library), ready]).then(([start]) => {
    frame.contentWindow?.postMessage(start, '*');
  }, fail);
  return {
    send: (command) => {
      frame.contentWindow?.postMessage(command, '*');
    },
    stop: () => {
      removeEventListener('message', receive);
      frame.remove();
    },
  };
}

function openSandbox(library: Library): Sandbox {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.title = 'Sandbox of the program';
  frame.tabIndex = -1;
  frame.ariaHidden = 'true';
  frame.style.cssText = 'position:absolute;width:1px;height:1px;border:0;clip-path:inset(50%);pointer-events:none';
  frame.srcdoc = frameDocument();
  const loaded = new Promise((resolve) => {
    frame.addEventListener('load', resolve, { once: true });
  });
  document.body.append(frame);
  const ready = Promise.all([library.base(), loaded]).then(([modules]) => {
    const load: Load = { type: 'load', modules };
    frame.contentWindow?.postMessage(load, '*');
  });
  return { frame, ready };
}

async function startOf(javascript: string, library: Library): Promise<Start> {
  const { body, imports, names } = programOf(javascript);
  const used = library.extras.filter(
    ({ specifier, names: exported }) =>
      imports.includes(specifier) ||
      (specifier.endsWith('/derived') ? names.includes('derived') : exported.some((name) => names.includes(name))),
  );
  const parts = await Promise.all(used.map(({ modules }) => modules()));
  return {
    type: 'start',
    modules: [...new Map(parts.flat())],
    entries: used.map(({ specifier, module }) => [specifier, module]),
    body,
    names,
  };
}
