package dev.weft.lab.seed002;

import dev.weft.hca.registration.RegistrationSettings.Strategy;
import java.util.List;

/**
 * One line of Figure 13 of seed 002.
 *
 * @param name as shown in reports
 * @param hitPercent operations whose buffer was used recently
 */
record RegistrationLine(String name, Strategy strategy, int hitPercent) {
  static final RegistrationLine DYNAMIC = new RegistrationLine("dynamic", Strategy.DYNAMIC, 0);
  static final RegistrationLine PIN_20 = new RegistrationLine("pin-down cache 20%", Strategy.PIN_DOWN_CACHE, 20);
  static final RegistrationLine PIN_80 = new RegistrationLine("pin-down cache 80%", Strategy.PIN_DOWN_CACHE, 80);
  static final RegistrationLine FMRD_20 = new RegistrationLine("FMRD 20%", Strategy.FMRD, 20);
  static final RegistrationLine FMRD_80 = new RegistrationLine("FMRD 80%", Strategy.FMRD, 80);
  static final List<RegistrationLine> ALL = List.of(DYNAMIC, PIN_20, PIN_80, FMRD_20, FMRD_80);
  /** What the paper says of bandwidths: the first of each pair has less. */
  static final List<RegistrationLine[]> ORDER = List.of(new RegistrationLine[] {DYNAMIC, PIN_20}, new RegistrationLine[] {PIN_20, PIN_80},
      new RegistrationLine[] {PIN_20, FMRD_20}, new RegistrationLine[] {PIN_80, FMRD_80});
  /** Operations of a run, and buffers that they are from (section 6.7). */
  static final int OPERATIONS = 1000;
  /** Registrations that a cache keeps (section 6.7). */
  static final int CACHE = 100;
}
