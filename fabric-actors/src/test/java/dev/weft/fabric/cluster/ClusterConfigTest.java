package dev.weft.fabric.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_PROPERTIES)
class ClusterConfigTest {
  private static final String STABLE = "akka.cluster.split-brain-resolver.stable-after";
  private static final String FILE = "config.file";

  private static Config config() {
    return ClusterConfig.forJvm("127.0.0.1", 0, List.of(), Path.of("/nowhere"), List.of());
  }

  /** With Akka's 5 s and 20 s the start fails where the machine has a load of 30. */
  @Test
  void shouldWaitForAkkasLoggerAndFirstActorsAsLongAsAStarvedMachineNeeds() {
    assertEquals(60, config().getDuration("akka.logger-startup-timeout").toSeconds());
    assertEquals(60, config().getDuration("akka.actor.creation-timeout").toSeconds());
  }

  /** The one that {@code ./weft} names is no resource of the class path. */
  @Test
  void shouldLetTheFileOfSettingsWinOverWhatAClusterSets(@TempDir Path directory) throws Exception {
    String before = System.getProperty(FILE);
    Path file = Files.writeString(directory.resolve("mine.conf"), STABLE + " = 8s\nweft.fabric.subnet.nodes-max = 77\n");
    assertEquals("7s", config().getString(STABLE));
    System.setProperty(FILE, file.toString());
    ConfigFactory.invalidateCaches();
    try {
      Config config = config();
      assertEquals("8s", config.getString(STABLE));
      assertEquals(77, config.getInt("weft.fabric.subnet.nodes-max"));
      System.setProperty(STABLE, "9s");
      ConfigFactory.invalidateCaches();
      assertEquals("9s", config().getString(STABLE));
    } finally {
      System.clearProperty(STABLE);
      if (before == null) {
        System.clearProperty(FILE);
      } else {
        System.setProperty(FILE, before);
      }
      ConfigFactory.invalidateCaches();
    }
  }
}
