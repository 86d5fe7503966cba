package dev.weft.service.process;

import com.typesafe.config.Config;
import dev.weft.fabric.cluster.DriverSpace;
import dev.weft.fabric.cluster.FabricDirectory;
import dev.weft.fabric.cluster.MediaDriverProcess;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.trunk.TrunkSettings;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The directory of a fabric's media driver. Each fabric has its own, so that no other fabric depends on it, unless a setting names a directory.
 * Before anything starts, this class checks that the file system has enough space for the JVMs.
 */
public final class DriverPlace implements AutoCloseable {
  private static final String SETTING = "weft.fabric.cluster.media-driver.directory";

  private final Path path;
  /** Null if this process must not remove the directory. */
  private final FabricDirectory own;

  private DriverPlace(Path path, FabricDirectory own) {
    this.path = path;
    this.own = own;
  }

  /** Returns the directory for the first JVM of a fabric; removes what killed fabrics of this user have left. */
  public static DriverPlace forUp(Config config, int jvms) {
    MediaDriverSettings settings = MediaDriverSettings.of(config);
    DriverPlace place = choose(config, settings);
    try {
      checkSpace(place.path, config, jvms);
      return place;
    } catch (CommandFailure e) {
      place.close();
      throw e;
    }
  }

  /** Returns the directory for a JVM that joins: that of the fabric's own driver if it runs on this host for this user. */
  public static DriverPlace forJoin(Config config, Optional<Path> recorded, String fabric) {
    MediaDriverSettings settings = MediaDriverSettings.of(config);
    try {
      Path found = recorded.isPresent() ? recorded.get() : isChosen(config) ? settings.directory() : FabricDirectory.find(settings, fabric);
      if (found == null) {
        return choose(config, settings);
      }
      DriverSpace.checkOneMore(found, settings, TrunkSettings.of(config), MediaDriverProcess.jvms(found));
      return new DriverPlace(found, null);
    } catch (IOException e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }

  private static boolean isChosen(Config config) {
    return !config.getString(SETTING).isEmpty();
  }

  private static DriverPlace choose(Config config, MediaDriverSettings settings) {
    if (isChosen(config)) {
      return new DriverPlace(settings.directory(), null);
    }
    try {
      FabricDirectory own = FabricDirectory.create(settings);
      return new DriverPlace(own.path(), own);
    } catch (IOException e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }

  /** Fails with {@link CommandFailure} if the file system of {@code directory} lacks space for {@code jvms} JVMs. */
  public static void checkSpace(Path directory, Config config, int jvms) {
    try {
      DriverSpace.check(directory, MediaDriverSettings.of(config), TrunkSettings.of(config), jvms);
    } catch (IOException e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }

  public Path path() {
    return path;
  }

  /** Announces the driver, so that joining JVMs find it, and commands find the fabric after its records in {@code states} are deleted. */
  public void announce(String address, StateDirectory states) {
    try {
      if (own != null) {
        own.announce(address, states.path());
      }
    } catch (IOException e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    try {
      if (own != null) {
        own.close();
      }
    } catch (IOException e) {
      throw new CommandFailure("the files of the media driver in " + path + " cannot be removed: " + e.getMessage(), e);
    }
  }
}
