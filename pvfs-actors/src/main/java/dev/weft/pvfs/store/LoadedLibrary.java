package dev.weft.pvfs.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The native library of RocksDB, which it copies to a file for temporary ones before it loads it: 17 MB that a JVM which is killed would leave. Once it is
 * loaded nobody needs the name any more.
 */
final class LoadedLibrary {
  private static final Logger LOG = LoggerFactory.getLogger(LoadedLibrary.class);
  private static boolean isLoaded;

  private LoadedLibrary() {}

  /** @throws UnsatisfiedLinkError if it cannot be loaded here */
  static synchronized void load() {
    if (!isLoaded) {
      RocksDB.loadLibrary();
      isLoaded = true;
      removeCopy();
    }
  }

  private static void removeCopy() {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
    try (Stream<String> mapped = Files.lines(Path.of("/proc/self/maps"))) {
      Path copy = mapped.filter(line -> line.contains("/librocksdbjni")).map(line -> Path.of(line.substring(line.indexOf('/')))).findFirst().orElse(null);
      if (copy != null && temporary.equals(copy.getParent())) {
        Files.deleteIfExists(copy);
      }
    } catch (IOException | RuntimeException kept) {
      LOG.debug("the copy of RocksDB's library stays until this JVM ends: {}", kept.toString());
    }
  }
}
