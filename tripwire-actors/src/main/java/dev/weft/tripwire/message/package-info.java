/**
 * Communication on top of apertures (CLAN, section 4): simple message transfer ({@link dev.weft.tripwire.message.MessageSender}), remote procedure
 * calls, the distributed queue, byte streams, messages of several parts. Each is a small class. All network traffic is writes; an end reads only its
 * own memory. Every end has a {@link dev.weft.tripwire.nic.Tripwire} on the word that it waits for, to be tested, waited for, or handled; polling works
 * as well.
 *
 * <p>One thread at a time uses an end. Calls do not wait: they return false, or null, if they cannot proceed. The owner of an end closes it, which
 * revokes its aperture.
 */
package dev.weft.tripwire.message;
