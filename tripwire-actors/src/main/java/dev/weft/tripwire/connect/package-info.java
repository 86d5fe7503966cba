/**
 * Connection set-up of applications over the CLAN NIC (CLAN, section 3.1). One out-of-band message tells where the caller's
 * {@link dev.weft.tripwire.connect.Mailbox} is; everything else is writes into mailboxes. Begin with {@link dev.weft.tripwire.connect.Caller} and
 * {@link dev.weft.tripwire.connect.Callee}. {@link dev.weft.tripwire.connect.HardwareLoop} runs the logic of an application beside the NIC.
 *
 * <pre>
 *  Caller                                   Callee
 *    ── message: my mailbox ────────────────▶
 *    ◀──────────── write: my mailbox ────────
 *    ── write: block ───────────────────────▶   looks at it
 *    ◀──────────── write: verdict, block ────
 * </pre>
 *
 * <p>No call waits: a caller or callee is stepped until it is done. Blocks have at most {@link dev.weft.tripwire.connect.Mailbox#BLOCK_MAX} bytes;
 * the application defines their meaning.
 */
package dev.weft.tripwire.connect;
