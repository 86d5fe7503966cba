/**
 * {@code weft tripwire}: measurements of the CLAN NIC in real time (CLAN, sections 5.2 and 5.3). The far NIC offers
 * {@link dev.weft.lab.trials.tripwire.TripwireService}; the near one opens a session there and drives it. Begin with
 * {@link dev.weft.lab.trials.tripwire.TripwireCommand}.
 */
package dev.weft.lab.trials.tripwire;
