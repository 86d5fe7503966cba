package dev.weft.launcher.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.typesafe.config.ConfigException;
import org.junit.jupiter.api.Test;

/** Which failures a user can mend in the configuration. */
class WrongSettingTest {
  @Test
  void shouldFindASettingBehindOtherFailures() {
    assertEquals("weft.x is 3", WrongSetting.messageOf(new IllegalArgumentException("weft.x is 3")));
    assertEquals("weft.x is 3", WrongSetting.messageOf(new IllegalStateException("Akka", new IllegalArgumentException("weft.x is 3"))));
    assertEquals("no x", WrongSetting.messageOf(new ExceptionInInitializerError(new ConfigException.Generic("no x"))));
  }

  @Test
  void shouldLeaveErrorsOfThisProgramTheirStackTraces() {
    assertNull(WrongSetting.messageOf(new IllegalArgumentException("lid is 0")));
    assertNull(WrongSetting.messageOf(new IllegalArgumentException()));
    assertNull(WrongSetting.messageOf(new ConfigException.BugOrBroken("oops")));
    IllegalStateException first = new IllegalStateException("a");
    first.initCause(new IllegalStateException("b", first)); // Causes may go round.
    assertNull(WrongSetting.messageOf(first));
  }
}
