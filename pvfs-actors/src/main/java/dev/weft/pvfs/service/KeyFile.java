package dev.weft.pvfs.service;

import dev.weft.fabric.files.PrivateFile;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.StateDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/** Gives JVMs with I/O daemons the key that signs capabilities: a file in the state directory that only its user can read. */
final class KeyFile {
  private KeyFile() {}

  static Path write(byte[] key) {
    try {
      Path file = StateDirectory.open().path().resolve("pvfs.key");
      PrivateFile.replace(file, HexFormat.of().formatHex(key).getBytes(StandardCharsets.US_ASCII));
      return file;
    } catch (IOException refused) {
      throw new CommandFailure("the key of the file system cannot be written for its daemons: " + refused.getMessage(), refused);
    }
  }

  static byte[] read(Path file) {
    try {
      return HexFormat.of().parseHex(Files.readString(file, StandardCharsets.US_ASCII).strip());
    } catch (IOException | IllegalArgumentException wrong) {
      throw new CommandFailure("the key of the file system cannot be read from " + file + ": " + wrong.getMessage() + "; 'weft up' writes it", wrong);
    }
  }
}
