package dev.weft.nbd;

import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A program that knows {@code java.nio.file} only, and finds the files of {@code weft up}: says the size of its first argument, and makes its second. */
public final class NioProgram {
  private NioProgram() {}

  public static void main(String[] arguments) throws Exception {
    try (FileSystem files = FileSystems.newFileSystem(URI.create("pvfs://up/"), Map.of())) {
      System.out.println(Files.size(files.getPath(arguments[0])) + " bytes");
      Path made = Files.writeString(files.getPath(arguments[1]), "made by a program\n");
      System.out.println(made.toUri() + " in stripes of " + Files.getAttribute(made, "pvfs:stripeSize"));
    }
    System.exit(0);
  }
}
