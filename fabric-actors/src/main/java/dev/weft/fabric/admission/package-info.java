/**
 * Admits only JVMs that know the secret of a fabric. The secret protects the fabric in three ways:
 * <ol>
 *   <li>{@link dev.weft.fabric.admission.AdmissionDesk} and {@link dev.weft.fabric.admission.AdmissionClient}, where you begin reading, prove to
 *       each other over TCP that they know the secret, and report clearly if one does not. The joiner gets the salt of the fabric's keys.
 *   <li>Every control message carries an authentication code made with one of these keys
 *       ({@link dev.weft.fabric.admission.AuthenticatedSerializer}), so JVMs that bypass the desk cannot send any.
 *   <li>Every UDP trunk begins with such a code; trunks without one are rejected.
 * </ol>
 *
 * <p>All codes are HMAC-SHA256 (RFC 2104), with keys by HKDF (RFC 5869), both from the JDK. Below them, the media driver of a fabric with a secret
 * encrypts all datagrams ({@link dev.weft.fabric.seal}), so a recorded message cannot be replayed either.
 *
 * <p>The desk listens on the TCP port with the number of the control plane's port. {@link dev.weft.fabric.admission.ControlPort} reserves this
 * port in every fabric.
 *
 * <p>Invariants: no message, exception, log or command line contains a secret or a key; codes are compared in constant time.
 */
package dev.weft.fabric.admission;
