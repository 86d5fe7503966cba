package dev.weft.fabric.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads certificates and private keys from PEM files (RFC 7468), as openssl, certtool and keytool write them. */
final class Pem {
  private static final int FILE_BYTES_MAX = 1 << 20;
  private static final Pattern BLOCK = Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----\\s+([A-Za-z0-9+/=\\s]+)-----END \\1-----");
  private static final List<String> KEY_ALGORITHMS = List.of("EC", "RSA", "EdDSA", "RSASSA-PSS");
  /** AlgorithmIdentifier of RSA: OID 1.2.840.113549.1.1.1 and NULL. */
  private static final byte[] RSA = {0x30, 13, 6, 9, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 13, 1, 1, 1, 5, 0};

  private record Block(String type, byte[] der) {}

  private Pem() {}

  /** Returns all certificates of a file, at least one, in their order. */
  static X509Certificate[] certificates(Path file) throws IOException {
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      List<Certificate> found = new ArrayList<>();
      for (Block block : blocks(file)) {
        if (block.type.equals("CERTIFICATE")) {
          found.add(factory.generateCertificate(new ByteArrayInputStream(block.der)));
        }
      }
      if (found.isEmpty()) {
        throw new IOException(file + " holds no certificate; it must have lines from -----BEGIN CERTIFICATE----- to the END");
      }
      return found.toArray(X509Certificate[]::new);
    } catch (GeneralSecurityException e) {
      throw new IOException(file + " holds a certificate that cannot be read: " + e.getMessage(), e);
    }
  }

  /** Returns the private key of a file: unencrypted PKCS#8 of any algorithm, or PKCS#1 of RSA. */
  static PrivateKey privateKey(Path file) throws IOException {
    for (Block block : blocks(file)) {
      switch (block.type) {
        case "PRIVATE KEY" -> {
          return pkcs8(file, block.der);
        }
        case "RSA PRIVATE KEY" -> {
          return pkcs8(file, asPkcs8(block.der));
        }
        case "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY" -> throw new IOException(file + " holds an '" + block.type
            + "'; convert it with: openssl pkcs8 -topk8 -nocrypt -in OLD -out NEW");
        default -> { }
      }
    }
    throw new IOException(file + " holds no private key; it must have lines from -----BEGIN PRIVATE KEY----- to the END");
  }

  private static PrivateKey pkcs8(Path file, byte[] der) throws IOException {
    for (String algorithm : KEY_ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
      } catch (GeneralSecurityException e) {
        continue; // The key is not of this algorithm.
      }
    }
    // The exception has no cause, because a cause's message might quote the key.
    throw new IOException(file + " holds a private key that is none of " + String.join(", ", KEY_ALGORITHMS));
  }

  /** Converts PKCS#1 to PKCS#8, which is version, algorithm, and the older form as an octet string. */
  private static byte[] asPkcs8(byte[] pkcs1) {
    return der(0x30, join(new byte[] {2, 1, 0}, RSA, der(4, pkcs1)));
  }

  private static byte[] der(int tag, byte[] content) {
    int length = content.length;
    byte[] head = length < 0x80
        ? new byte[] {(byte) tag, (byte) length}
        : new byte[] {(byte) tag, (byte) 0x83, (byte) (length >> 16), (byte) (length >> 8), (byte) length};
    return join(head, content);
  }

  private static byte[] join(byte[]... parts) {
    java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static List<Block> blocks(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException(file + " does not exist, or is no file");
    }
    if (Files.size(file) > FILE_BYTES_MAX) {
      throw new IOException(file + " is longer than " + FILE_BYTES_MAX + " bytes; is it a PEM file?");
    }
    Matcher matcher = BLOCK.matcher(new String(Files.readAllBytes(file), java.nio.charset.StandardCharsets.ISO_8859_1));
    List<Block> blocks = new ArrayList<>();
    while (matcher.find()) {
      try {
        blocks.add(new Block(matcher.group(1), Base64.getMimeDecoder().decode(matcher.group(2))));
      } catch (IllegalArgumentException e) {
        throw new IOException(file + " holds a block '" + matcher.group(1) + "' that is not Base64");
      }
    }
    return blocks;
  }
}
