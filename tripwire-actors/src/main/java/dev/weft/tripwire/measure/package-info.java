/**
 * {@code weft tripwire}: the CLAN NIC measured in real time (seed 003 sections 5.2 and 5.3). The far NIC offers {@link
 * dev.weft.tripwire.measure.TripwireService}; the near one opens a session there and drives it.
 */
package dev.weft.tripwire.measure;
