/**
 * Who may join a fabric that is reached from other hosts: those that know its secret. Three things hang on it:
 * <ol>
 *   <li>{@link dev.weft.fabric.admission.AdmissionDesk} and {@link dev.weft.fabric.admission.AdmissionClient} prove to each other over TCP that
 *       they know it, and tell a person clearly when one does not. The joiner gets the salt of the fabric's keys.
 *   <li>Every control message carries a code of authentication made with one of these keys
 *       ({@link dev.weft.fabric.admission.AuthenticatedSerializer}), so who went past the desk is not understood.
 *   <li>Every UDP trunk begins with such a code; what comes without one is refused.
 * </ol>
 *
 * <p>HMAC-SHA256 (RFC 2104) throughout, keys by HKDF (RFC 5869), both of the JDK. Nothing is encrypted, and what somebody on the way has
 * recorded he may send again while the fabric lives: against people who read or change what is on the way, put a VPN below.
 *
 * <p>The desk listens on the number of the control plane's port, {@link dev.weft.fabric.admission.ControlPort}, which is taken in any fabric.
 *
 * <p>Invariants: no secret and no key is in a message, an exception, a log or the command line; codes are compared in constant time.
 */
package dev.weft.fabric.admission;
