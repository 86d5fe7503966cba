/**
 * What ports that leave the machine need: X.509 certificates in PEM files for TLS, and files that hold a shared secret. Used once, when a
 * port is opened; nothing here is on the way of a packet.
 *
 * <p>Invariants: no message or exception carries a secret; what cannot work later (a key that does not belong to its certificate, an
 * expired certificate, a file that everybody may read) is refused when the port is opened.
 */
package dev.weft.fabric.tls;
