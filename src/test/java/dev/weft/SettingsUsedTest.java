package dev.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A setting that nothing reads promises what is not so: main code names each key, makes each record of settings, and reads each number of it. */
@Tag("slow")
@Timeout(120)
class SettingsUsedTest {
  private static final Path ROOT = Path.of(System.getProperty("weft.root"));
  /** Akka reads these of every dispatcher. */
  private static final Set<String> AKKAS = Set.of("weft.hardware-dispatcher.type", "weft.hardware-dispatcher.executor",
      "weft.hardware-dispatcher.throughput", "weft.hardware-dispatcher.mailbox.mailbox-type");
  /** Dispatchers and a mailbox, all of them Akka's. */
  private static final String CONTEXTS = "weft.context.";
  private static final Pattern MADE = Pattern.compile("public static (\\w+Settings) (\\w+)\\(Config ");
  private static final Pattern RECORD = Pattern.compile("record (\\w+Settings)\\(([^{]*?)\\)\\s*\\{", Pattern.DOTALL);

  private static final Map<Path, String> SOURCES = new TreeMap<>();
  /** The commands of the laboratory make settings of the product, too. */
  private static final Map<Path, String> CALLERS = new TreeMap<>();

  @BeforeAll
  static void read() throws IOException {
    for (String module : Modules.all()) {
      read(module, SOURCES);
    }
    CALLERS.putAll(SOURCES);
    read("laboratory", CALLERS);
    assertTrue(SOURCES.size() > 300, SOURCES.size() + " files under " + ROOT);
  }

  private static void read(String module, Map<Path, String> sources) throws IOException {
    try (Stream<Path> tree = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
      for (Path file : tree.filter(f -> f.toString().endsWith(".java")).toList()) {
        sources.put(file, Files.readString(file));
      }
    }
  }

  private static boolean isAkkas(String key) {
    return AKKAS.contains(key) || key.startsWith(CONTEXTS);
  }

  private static boolean isElsewhere(Path file, Pattern pattern) {
    return CALLERS.entrySet().stream().anyMatch(source -> !source.getKey().equals(file) && pattern.matcher(source.getValue()).find());
  }

  @Test
  void shouldNameEveryKeyInMainCode() {
    List<String> unread = new ArrayList<>();
    for (String module : Modules.all()) {
      Config config = ConfigFactory.parseFile(ROOT.resolve(module).resolve("src/main/resources/reference.conf").toFile());
      config.entrySet().stream().map(Map.Entry::getKey).filter(key -> key.startsWith("weft.") && !isAkkas(key)).sorted().forEach(key -> {
        Pattern named = Pattern.compile("\"(?:[\\w.-]+\\.)?" + Pattern.quote(key.substring(key.lastIndexOf('.') + 1)) + "\"");
        if (SOURCES.values().stream().noneMatch(text -> named.matcher(text).find())) {
          unread.add(key);
        }
      });
    }
    assertEquals(List.of(), unread);
  }

  @Test
  void shouldMakeEveryRecordOfSettingsInMainCode() {
    List<String> unmade = new ArrayList<>();
    int records = 0;
    for (Map.Entry<Path, String> source : SOURCES.entrySet()) {
      Matcher made = MADE.matcher(source.getValue());
      while (made.find()) {
        records++;
        if (!isElsewhere(source.getKey(), Pattern.compile("\\b" + made.group(1) + "(\\.|::)" + made.group(2) + "\\b"))) {
          unmade.add(made.group(1) + "." + made.group(2));
        }
      }
    }
    assertEquals(List.of(), unmade);
    assertTrue(records > 12, records + " records of settings were found");
  }

  @Test
  void shouldReadEveryNumberOfSuchARecordInMainCode() {
    List<String> unread = new ArrayList<>();
    for (Map.Entry<Path, String> source : SOURCES.entrySet()) {
      Matcher record = RECORD.matcher(source.getValue());
      if (!MADE.matcher(source.getValue()).find() || !record.find()) {
        continue;
      }
      String methods = source.getValue().substring(record.end());
      for (String component : record.group(2).split(",")) {
        String name = component.strip().substring(component.strip().lastIndexOf(' ') + 1);
        boolean isReadHere = Pattern.compile("(return|if|\\?|:|&&|\\|\\||,|-|\\+|\\*|/)[^\n;]*\\b" + name + "\\b(?!\")").matcher(methods).find();
        if (!isReadHere && !isElsewhere(source.getKey(), Pattern.compile("\\." + name + "\\(\\)"))) {
          unread.add(record.group(1) + "." + name);
        }
      }
    }
    assertEquals(List.of(), unread);
  }
}
