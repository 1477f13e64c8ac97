/** One line of the log. */
export interface LogEntry {
  readonly type: 'log';
  /**
   * The kind of the line. `thrown`: an error that the program did not catch. `action`: an action of
   * the reader in the cluster.
   */
  readonly level: 'log' | 'warn' | 'error' | 'thrown' | 'request' | 'action';
  readonly text: string;
  /** The time in milliseconds since the program started. */
  readonly at: number;
}

/** An Observable that the program subscribed to. The diagram shows its events in one lane. */
export interface LaneOpened {
  readonly type: 'lane';
  readonly lane: number;
  readonly label: string;
  readonly line: number;
}

/** An event of an Observable: a value, an error, its completion, or the end of the subscription. */
export interface Mark {
  readonly type: 'mark';
  readonly lane: number;
  readonly kind: 'value' | 'error' | 'complete' | 'unsubscribe';
  /** A short form of the value for the diagram. */
  readonly short: string;
  readonly text: string;
  readonly at: number;
}

/** The value of a constant, or the result of an expression. */
export interface Shown {
  readonly type: 'shown';
  readonly label: string;
  readonly line: number;
  readonly text: string;
}

export interface ObjectRow {
  readonly key: string;
  readonly state: string;
  readonly detail: string;
  readonly resourceVersion: string;
}

/** The objects of the cluster, by kind. They are sent whenever one of them has changed. */
export interface Objects {
  readonly type: 'objects';
  readonly kinds: readonly { readonly kind: string; readonly total: number; readonly rows: readonly ObjectRow[] }[];
}

/** A replacement that the page used for something that needs Node or a cluster. */
export interface Substituted {
  readonly type: 'substituted';
  readonly what: string;
  readonly by: string;
}

/**
 * The stage of a program. `ready`: the modules are loaded. `finished`: the last statement has run,
 * but subscriptions go on.
 */
export interface Stage {
  readonly type: 'ready' | 'finished';
  readonly at: number;
}

/** A message from the sandbox to the page. It contains only texts and numbers. */
export type SandboxEvent = LogEntry | LaneOpened | Mark | Shown | Objects | Substituted | Stage;

export type Fault = 'delay' | 'errors';

/** An action of the reader in the cluster. */
export type Command =
  | { readonly type: 'create' | 'label' | 'delete' | 'cut' | 'expire' }
  | { readonly type: 'fault'; readonly fault: Fault; readonly isOn: boolean };

/** Modules as source texts, by name. Each module comes after the modules that it imports. */
export type ModuleTexts = readonly (readonly [name: string, text: string])[];

/** The first message to the sandbox: the modules that every program needs. */
export interface Load {
  readonly type: 'load';
  readonly modules: ModuleTexts;
}

/** The second message to the sandbox: the program. */
export interface Start {
  readonly type: 'start';
  /** The modules that the program needs in addition to the base. */
  readonly modules: ModuleTexts;
  /**
   * The module of each entry point that is loaded in addition to the base, by specifier, for
   * example `rx-informers/controller`.
   */
  readonly entries: readonly (readonly [specifier: string, module: string])[];
  readonly body: string;
  readonly names: readonly string[];
}
