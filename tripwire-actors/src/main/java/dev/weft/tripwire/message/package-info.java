/**
 * Communication on top of apertures (seed 003 section 4): simple message transfer, remote procedure calls, the distributed queue, byte
 * streams, messages of several parts. Each is a small class; all that crosses the network is writes, and what an end must read lies in
 * its own memory. Every end has a {@link dev.weft.tripwire.Tripwire} on what it waits for, to be tested, waited for, or handled; polling
 * works as well.
 *
 * <p>An end is used by one thread at a time. Calls do not wait: they answer false, or null, where they cannot go on. Who owns an end
 * closes it, which revokes its aperture.
 */
package dev.weft.tripwire.message;
