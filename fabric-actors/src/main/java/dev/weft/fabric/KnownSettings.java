package dev.weft.fabric;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigResolveOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * Rejects unknown settings: keys under {@code weft.} that no module's {@code reference.conf} has. It also accepts the keys of an Akka
 * dispatcher for the hardware dispatcher, and keys that a fabric sets itself. System properties of tests and of the start script are
 * not settings; it recognizes them by their names.
 */
public final class KnownSettings {
  private static final String ROOT = "weft";
  private static final String DISPATCHER = "weft.hardware-dispatcher";
  private static final String AKKA_DISPATCHER = "akka.actor.default-dispatcher";
  /** Keys that a fabric itself adds to the configuration. */
  private static final Pattern INTERNAL = Pattern.compile("weft\\.fabric\\.cluster\\.version|weft\\.virtual-executor\\..*");
  private static final Pattern PROPERTIES =
      Pattern.compile("weft\\.(root|seed|log\\.level|(train|sim|stress|test)\\..*|tripwire\\.writes)");
  private static final TreeSet<String> KNOWN = new TreeSet<>();

  static {
    // Not ConfigFactory.defaultReference: system properties override it.
    Config all = ConfigFactory.parseResources(KnownSettings.class.getClassLoader(), "reference.conf");
    Config reference = all.withOnlyPath(ROOT).withFallback(all.withOnlyPath(AKKA_DISPATCHER))
        .resolve(ConfigResolveOptions.noSystem().setAllowUnresolved(true));
    each(ROOT, reference.getObject(ROOT), (key, value) -> KNOWN.add(key));
    each(DISPATCHER, reference.getObject(AKKA_DISPATCHER), (key, value) -> KNOWN.add(key));
  }

  private KnownSettings() {}

  /**
   * Checks a configuration and the system properties.
   *
   * @throws IllegalArgumentException if a key under {@code weft.} is not a setting; the message, one line, names each such key and the
   *     setting with the most similar spelling
   */
  public static void check(Config config) {
    Map<String, String> unknown = new TreeMap<>();
    if (config.root().get(ROOT) instanceof ConfigObject weft) {
      each(ROOT, weft, (key, value) -> {
        boolean isProperty = PROPERTIES.matcher(key).matches() && System.getProperty(key) != null;
        if (!isKnown(key) && !isProperty) {
          unknown.put(key, value.origin().description());
        }
      });
    }
    for (String property : System.getProperties().stringPropertyNames()) {
      if (property.startsWith(ROOT + ".") && !isKnown(property) && !PROPERTIES.matcher(property).matches()) {
        unknown.put(property, "system properties");
      }
    }
    if (!unknown.isEmpty()) {
      StringBuilder text = new StringBuilder();
      unknown.forEach((key, origin) -> text.append(text.isEmpty() ? "" : "; ").append(refusal(key, origin)));
      throw new IllegalArgumentException(text.toString());
    }
  }

  private static boolean isKnown(String key) {
    return KNOWN.contains(key) || INTERNAL.matcher(key).matches();
  }

  private static String refusal(String key, String origin) {
    String below = KNOWN.higher(key + ".");
    boolean isSection = below != null && below.startsWith(key + ".");
    return key + " (" + origin + ") is no setting of the modules on the class path; "
        + (isSection ? "it is a section with settings like " + below : "did you mean " + nearest(key) + "?");
  }

  /** Returns the setting with the most similar spelling. A key with the right name in the wrong section is more likely than a wrong name. */
  private static String nearest(String key) {
    String name = key.substring(key.lastIndexOf('.'));
    return KNOWN.stream().min(Comparator.comparingInt(known -> distance(known, key) * (known.endsWith(name) ? 1 : 2))).orElseThrow();
  }

  /** Returns how many characters must be inserted, removed or replaced to turn one string into the other. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }

  /** Visits each value that is not a section, with its path. A name that contains dots would look like a section; no setting has one. */
  private static void each(String path, ConfigObject object, BiConsumer<String, ConfigValue> visit) {
    for (Map.Entry<String, ConfigValue> entry : object.entrySet()) {
      String key = path + "." + entry.getKey();
      ConfigValue value = entry.getValue();
      if (value.valueType() == ConfigValueType.OBJECT) {
        each(key, (ConfigObject) value, visit);
      } else {
        visit.accept(key, value);
      }
    }
  }
}
