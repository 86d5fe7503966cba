package dev.weft.fabric.admission;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Secrets for tests. */
public final class Secrets {
  private Secrets() {}

  /** The secret of 64 times {@code letter}. */
  public static FabricSecret of(char letter) throws IOException {
    Path file = Files.createTempFile("weft-secret-", "");
    try {
      Files.writeString(file, String.valueOf(letter).repeat(64) + "\n");
      return FabricSecret.read(file);
    } finally {
      Files.delete(file);
    }
  }
}
