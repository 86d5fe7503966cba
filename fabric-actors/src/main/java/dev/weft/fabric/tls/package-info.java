/**
 * Files for ports that other machines can reach: X.509 certificates in PEM files for TLS, and files that hold a shared secret. They are
 * read when a port is opened. Begin with {@link dev.weft.fabric.tls.TlsFiles} and {@link dev.weft.fabric.tls.SecretFile}.
 *
 * <p>Invariants: no message or exception contains a secret; opening a port fails if it could not work later (a key that does not belong to
 * its certificate, an expired certificate, a file that everybody may read).
 */
package dev.weft.fabric.tls;
