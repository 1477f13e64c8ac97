import { podPhases, type PodPhase } from '../model/pod-phase.js';

export type PhaseColours = Readonly<Record<PodPhase, string>>;

/** The colours that the style sheet gives phases now, as a canvas takes them. */
export function phaseColours(): PhaseColours {
  const probe = document.createElement('span');
  document.body.append(probe);
  const colours = podPhases.map((phase) => {
    probe.style.color = `var(--phase-${phase})`;
    return [phase, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(colours) as PhaseColours;
}
