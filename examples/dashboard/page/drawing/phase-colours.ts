import { podPhases, type PodPhase } from '../model/pod-phase.js';

export type PhaseColours = Readonly<Record<PodPhase, string>>;

/** The colours that the style sheet gives phases now, as a canvas takes them. */
export function phaseColours(): PhaseColours {
  const probe = document.createElement('span');
  // Those of the style sheet also where the user's own are forced on everything else: they are what the map says.
  probe.style.setProperty('forced-color-adjust', 'none');
  document.body.append(probe);
  const colours = podPhases.map((phase) => {
    probe.style.color = `var(--phase-${phase})`;
    return [phase, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(colours) as PhaseColours;
}
