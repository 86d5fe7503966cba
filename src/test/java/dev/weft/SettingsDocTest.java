package dev.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/settings.md} lists every setting of every module with its comment. To write it anew after a change:
 * {@code mvn -B verify -pl src/test -am -Dtest=SettingsDocTest -Dsurefire.failIfNoSpecifiedTests=false -Dweft.docs.write=true}.
 */
class SettingsDocTest {
  private static final Path ROOT = Path.of(System.getProperty("weft.root"));

  @Test
  void shouldDocumentEverySetting() throws IOException {
    Path page = ROOT.resolve("docs/settings.md");
    String wanted = render();
    if (Boolean.getBoolean("weft.docs.write")) {
      Files.writeString(page, wanted);
    }
    assertEquals(wanted, Files.readString(page), "docs/settings.md is out of date; see the comment of this class");
  }

  private static String render() {
    StringBuilder text = new StringBuilder("""
        # Settings

        Every setting, with its default. Set your own in `application.conf` at the root of the checkout; another file: `WEFT_CONFIG=FILE ./weft ...`, or
        `-Dconfig.file=FILE` for a program of your own. The one that is there sets `weft.pager.client.pool-size`, which yours should, too. Akka's settings
        go there as well. This page is generated from the modules' `reference.conf`, and a test keeps it true; it is sorted by name.
        A key under `weft.` that no module on the class path has, in a file, a program or a system property, ends the start with one line
        that names the nearest one.
        """);
    for (String module : Modules.all()) {
      Path file = ROOT.resolve(module).resolve("src/main/resources/reference.conf");
      if (Files.exists(file)) {
        Config config = ConfigFactory.parseFile(file.toFile());
        text.append("\n## ").append(module).append("\n");
        List<String> lines = new ArrayList<>();
        if (config.hasPath("weft")) {
          collect("weft", config.getObject("weft"), lines);
        }
        lines.forEach(text::append);
      }
    }
    return text.toString();
  }

  private static void collect(String path, ConfigObject object, List<String> lines) {
    for (var entry : new TreeMap<>(object).entrySet()) {
      String key = path + "." + entry.getKey();
      ConfigValue value = entry.getValue();
      if (value.valueType() == ConfigValueType.OBJECT) {
        collect(key, (ConfigObject) value, lines);
      } else {
        String comment = String.join(" ", value.origin().comments().stream().map(String::strip).toList());
        lines.add("\n**`" + key + "`** = `" + value.render(ConfigRenderOptions.concise()).replace("\"", "") + "`  \n" + comment + "\n");
      }
    }
  }
}
