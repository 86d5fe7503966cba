package dev.weft.fabric.tls;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** Reads files that hold a secret in their first line. No exception contains the secret. */
public final class SecretFile {
  /** Length of the shortest accepted secret: 32 hexadecimal digits are 128 bits. */
  public static final int CHARACTERS_MIN = 32;

  private static final int CHARACTERS_MAX = 4096;

  private SecretFile() {}

  /**
   * Returns the first line of {@code file}: {@value #CHARACTERS_MIN} to 4096 visible ASCII characters.
   *
   * @throws IOException if the line is not like that, or every user of this machine may read or write the file
   */
  public static String read(Path file) throws IOException {
    checkPrivate(file);
    String line;
    try (var reader = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
      line = firstLine(reader);
    }
    if (line.length() < CHARACTERS_MIN || line.length() > CHARACTERS_MAX || !line.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw new IOException(file + " must hold one line of " + CHARACTERS_MIN + " to " + CHARACTERS_MAX
          + " visible ASCII characters that nobody can guess; make it with: (umask 077; openssl rand -hex 32 > " + file + ")");
    }
    return line;
  }

  private static String firstLine(Reader reader) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = reader.read(); c >= 0 && c != '\n' && line.length() <= CHARACTERS_MAX; c = reader.read()) {
      line.append((char) c);
    }
    return line.toString().strip();
  }

  /** Throws IOException if a file is missing, or if all users of this machine may read or write it. */
  static void checkPrivate(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException(file + " does not exist, or is no file");
    }
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
    if (permissions.contains(PosixFilePermission.OTHERS_READ) || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException("every user of this machine may read or write " + file + "; do: chmod 600 " + file);
    }
  }
}
