package dev.weft.pvfs.service;

import dev.weft.fabric.files.PrivateDirectory;
import dev.weft.fabric.files.PrivateFile;
import dev.weft.pvfs.manager.FileSystemLabel;
import dev.weft.pvfs.manager.NameSpace;
import dev.weft.pvfs.store.MetadataStore;
import dev.weft.pvfs.store.RocksSettings;
import dev.weft.pvfs.store.RocksStore;
import dev.weft.pvfs.store.StoreException;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Properties;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The directory of {@code weft up --pvfs-dir}. {@code manager} has the metadata. A directory with the name of each I/O daemon has its stripes. The
 * file {@code file-system}, accessible to this user only, has the identity of the file system, its number of daemons, and its key.
 */
final class PvfsDirectory {
  private static final String LABEL = "file-system";
  private static final int VERSION = 1;

  private final Path path;

  PvfsDirectory(Path path) {
    this.path = path.toAbsolutePath().normalize();
  }

  Path path() {
    return path;
  }

  Path manager() {
    return path.resolve("manager");
  }

  /**
   * Returns the label of its file system; a new one if the directory is empty. Creates directory and file if they are missing.
   *
   * @throws CommandFailure if it cannot be used, or has a file system with another number of daemons
   */
  FileSystemLabel label(int daemons) {
    try {
      PrivateDirectory.createOrUse(path, "name another directory with --pvfs-dir");
      Path file = path.resolve(LABEL);
      FileSystemLabel label = Files.exists(file) ? read(file) : make(file, daemons);
      requireParts(label.daemons());
      if (label.daemons() != daemons) {
        throw new CommandFailure(path + " has a file system of " + label.daemons() + " I/O daemons; say --pvfs " + label.daemons()
            + ", or name another directory");
      }
      return label;
    } catch (IOException | StoreException refused) {
      throw new CommandFailure("the directory of the file system cannot be used: " + refused.getMessage(), refused);
    }
  }

  /** Refuses to start with missing parts. A part that is not mounted looks like a new one, and data of the others would then count as lost. */
  private void requireParts(int daemons) {
    long there = IntStream.range(0, daemons).filter(this::hasStripes).count();
    boolean hasNames = Files.exists(manager().resolve("rocks").resolve("CURRENT"));
    if (there > 0 && !hasNames) {
      throw new CommandFailure(manager() + " has no metadata, but there are stripes of files: mount or restore it; if nothing is to be kept, remove " + path);
    }
    if (there == 0 && hasNames && isInUse()) { // A file system that was killed during its first start may have names and no stripes, but no files.
      throw new CommandFailure(stripes(0) + (daemons == 1 ? " has" : " and those of the other daemons have") + " no stripes, but there are names of files in "
          + manager() + ": mount or restore what is missing; if nothing is to be kept, remove " + path);
    }
    if (there > 0 && there < daemons) {
      Path missing = stripes(IntStream.range(0, daemons).filter(daemon -> !hasStripes(daemon)).findFirst().orElseThrow());
      throw new CommandFailure(missing + " has no stripes, but those of other daemons are there: mount or restore it; if nothing is to be kept, remove "
          + path);
    }
  }

  private Path stripes(int daemon) {
    return path.resolve(PvfsDeployment.DAEMON_PREFIX + daemon);
  }

  private boolean hasStripes(int daemon) {
    return Files.exists(stripes(daemon).resolve("daemon.format"));
  }

  private static FileSystemLabel read(Path file) throws IOException {
    Properties lines = new Properties();
    lines.load(new StringReader(Files.readString(file, StandardCharsets.US_ASCII)));
    try {
      int version = Integer.parseInt(lines.getProperty("version", "0"));
      if (version != VERSION) {
        throw new CommandFailure(file + " has version " + version + ", this program knows " + VERSION + "; start the one that made it");
      }
      return new FileSystemLabel(lines.getProperty("id", ""), Integer.parseInt(lines.getProperty("daemons", "0")),
          HexFormat.of().parseHex(lines.getProperty("key", "")));
    } catch (IllegalArgumentException wrong) {
      throw new CommandFailure(file + " is damaged: " + wrong.getMessage() + "; remove it if there is the directory 'manager', which has the same", wrong);
    }
  }

  private FileSystemLabel make(Path file, int daemons) throws IOException {
    FileSystemLabel known = Files.isDirectory(manager()) ? ofManager() : null;
    FileSystemLabel label = known == null ? FileSystemLabel.random(daemons) : known;
    String text = "version=" + VERSION + "\nid=" + label.id() + "\ndaemons=" + label.daemons() + "\nkey=" + HexFormat.of().formatHex(label.key()) + "\n";
    PrivateFile.replace(file, text.getBytes(StandardCharsets.US_ASCII));
    return label;
  }

  /** Returns the label in the metadata, for the case that the file was removed. */
  private FileSystemLabel ofManager() {
    return ofMetadata(NameSpace::labelOf);
  }

  private boolean isInUse() {
    return ofMetadata(NameSpace::isInUse);
  }

  private <T> T ofMetadata(Function<MetadataStore, T> question) {
    try (RocksStore store = RocksStore.open(manager(), RocksSettings.DEFAULT)) {
      return question.apply(store);
    }
  }
}
