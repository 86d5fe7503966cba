package dev.weft.pvfs.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The native library of RocksDB. RocksDB copies it to a temporary file before it loads it; a killed JVM would leave these 17 MB behind. So this
 * removes the file once it is loaded.
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
