/**
 * How applications over the CLAN NIC connect (seed 003 section 3.1): one out-of-band message says where the caller's {@link
 * dev.weft.tripwire.connect.Mailbox} is; all that follows is writes into mailboxes. {@link dev.weft.tripwire.connect.HardwareLoop} runs the
 * logic of an application that lives beside the NIC.
 *
 * <pre>
 *  Caller                                   Callee
 *    ── message: my mailbox ────────────────▶
 *    ◀──────────── write: my mailbox ────────
 *    ── write: block ───────────────────────▶   looks at it
 *    ◀──────────── write: verdict, block ────
 * </pre>
 *
 * <p>Nobody waits here: a caller or callee is stepped until it is done. Blocks are at most {@link
 * dev.weft.tripwire.connect.Mailbox#BLOCK_MAX} bytes and mean what the application says.
 */
package dev.weft.tripwire.connect;
