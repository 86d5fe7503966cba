package dev.weft.launcher.reference;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Every setting of the modules on the class path, with its default and the comment of its {@code reference.conf}. */
final class SettingsPage {
  private static final String ROOT = "weft";
  /** Finds the module in the URL of its {@code reference.conf}, which is in a jar or a directory of the build. */
  private static final Pattern MODULE = Pattern.compile("([^/]+?)(-[0-9][^/]*\\.jar!|/target/classes)/reference\\.conf$");

  /**
   * A setting.
   *
   * @param comment its comment in one line; may be empty
   */
  record Setting(String key, String value, String comment) {}

  private final Map<String, List<Setting>> modules = new TreeMap<>();

  /** @throws IOException if the class path cannot be read */
  SettingsPage(ClassLoader classes) throws IOException {
    for (URL file : Collections.list(classes.getResources("reference.conf"))) {
      Config config = ConfigFactory.parseURL(file);
      if (config.hasPath(ROOT)) {
        collect(ROOT, config.getObject(ROOT), modules.computeIfAbsent(moduleOf(file), _ -> new ArrayList<>()));
      }
    }
  }

  private static String moduleOf(URL file) {
    Matcher module = MODULE.matcher(file.toString());
    return module.find() ? module.group(1) : file.toString();
  }

  private static void collect(String path, ConfigObject object, List<Setting> settings) {
    new TreeMap<>(object).forEach((name, value) -> {
      String key = path + "." + name;
      if (value.valueType() == ConfigValueType.OBJECT) {
        collect(key, (ConfigObject) value, settings);
      } else {
        settings.add(new Setting(key, text(value), String.join(" ", value.origin().comments().stream().map(String::strip).toList())));
      }
    });
  }

  private static String text(ConfigValue value) {
    return value.render(ConfigRenderOptions.concise()).replace("\"", "");
  }

  Map<String, List<Setting>> modules() {
    return modules;
  }

  String markdown() {
    StringBuilder page = new StringBuilder("""
        # Settings

        Every setting with its default. Put your own values into `application.conf` at the root of the checkout. To use another file, start Weft with
        `WEFT_CONFIG=FILE ./weft ...`; in your own program use `-Dconfig.file=FILE`. If a file, a program or a system property has a key under `weft.` that
        no module knows, the start fails with one line that names the nearest known key.
        """);
    modules.forEach((module, settings) -> {
      page.append("\n## ").append(module).append('\n');
      settings.forEach(each -> page.append("\n**`").append(each.key()).append("`** = `").append(each.value()).append("`  \n").append(each.comment())
          .append('\n'));
    });
    return page.toString();
  }
}
