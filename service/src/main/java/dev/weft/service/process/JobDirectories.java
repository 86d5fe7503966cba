package dev.weft.service.process;

import dev.weft.fabric.cluster.ProcessWatch;
import dev.weft.fabric.files.FileTree;
import dev.weft.fabric.files.OwnUser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the directories of jobs. Each directory names the process that owns it. A killed process leaves its directory; the next job of that kind
 * removes it.
 */
final class JobDirectories {
  private static final Logger LOG = LoggerFactory.getLogger(JobDirectories.class);
  private static final String OWNER = "owner.pid";
  /** Within this time everything that a killed process has started ends, its media driver last. */
  private static final Duration AFTERLIFE = Duration.ofSeconds(30);

  private JobDirectories() {}

  /** Creates a directory that this process owns, and removes old ones. */
  static Path make(Path parent, String job) throws IOException {
    clean(parent, job, Instant.now().minus(AFTERLIFE));
    Path directory = Files.createTempDirectory(parent, prefix(job));
    Files.writeString(directory.resolve(OWNER), Long.toString(ProcessHandle.current().pid()));
    return directory;
  }

  private static String prefix(String job) {
    return "weft-" + job + "-";
  }

  /**
   * Removes directories that ended processes of this user created before {@code before}. Does not follow links. Logs errors and leaves those
   * directories. Leaves directories of other users even if this user is root, because their owner could have put anything there.
   */
  static void clean(Path parent, String job, Instant before) {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, prefix(job) + "*")) {
      for (Path directory : found) {
        removeIfLeft(directory, before);
      }
    } catch (IOException | DirectoryIteratorException inTheWay) {
      LOG.warn("could not remove the files of ended jobs in {}: {}", parent, inTheWay.toString());
    }
  }

  private static void removeIfLeft(Path directory, Instant before) {
    try {
      if (isOwn(directory) && isLeft(directory.resolve(OWNER), before)) {
        LOG.info("removed {}: its process has ended", directory);
        FileTree.delete(directory);
      }
    } catch (NoSuchFileException gone) {
      LOG.debug("{} no longer exists, or is not of a job: {}", directory, gone.toString());
    } catch (IOException | UncheckedIOException inTheWay) {
      LOG.warn("could not remove {}, which a job may have left: {}", directory, inTheWay.toString());
    }
  }

  private static boolean isOwn(Path directory) throws IOException {
    return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
        && (int) Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS) == OwnUser.id();
  }

  private static boolean isLeft(Path owner, Instant before) throws IOException {
    BasicFileAttributes found = Files.readAttributes(owner, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!found.isRegularFile() || found.lastModifiedTime().compareTo(FileTime.from(before)) >= 0) {
      return false;
    }
    String pid = Files.readString(owner).trim();
    return pid.matches("[1-9][0-9]{0,8}") && !ProcessWatch.isAlive(Long.parseLong(pid));
  }
}
