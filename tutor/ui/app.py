"""The app: what lives as long as it runs (study, kernel, device), and the ways between screens."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.app import App, SystemCommand
from textual.binding import Binding
from textual.events import Event, Paste
from textual.message import Message
from textual.screen import Screen

from tutor.text import aloud, i18n
from tutor.text.i18n import _
from tutor.text.sanitize import pasted, sanitize
from tutor.ui import screen_reader, signals
from tutor.ui.early import Early
from tutor.ui.farewell import Farewell
from tutor.ui.judge import Judge
from tutor.ui.laboratory import Laboratory
from tutor.ui.messages import CourseRead, KernelChanged, SavedChanged
from tutor.ui.preferences import Preferences
from tutor.ui.python import Python
from tutor.ui.reviewing import Reviewing
from tutor.ui.screens.base import TutorScreen
from tutor.ui.screens.home import HomeScreen
from tutor.ui.searching import Searching
from tutor.ui.sharing import Sharing
from tutor.ui.welcome import ask_language, first_start

if TYPE_CHECKING:  # everything else is imported where it is needed, after the first paint
    from textual.driver import Driver
    from textual.notifications import SeverityLevel

    from tutor.course.model import Lang
    from tutor.memory.quiz import Choice
    from tutor.ui.study import Study

RETRY_INTERVAL = 10.0
"""Seconds between two attempts to write what could not be written."""


class TutorApp(App[int]):
    """Holds the study, the kernel session and the device; screens read them."""

    TITLE = "normtutor"
    CSS_PATH = ["app.tcss", "screens/home.tcss"]  # Textual reads no style of a default screen
    ENABLE_COMMAND_PALETTE = True
    greets = False
    """Whether a learner who is here for the first time is asked for their language: only where one starts the app."""
    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-tall")]
    BINDINGS = [
        Binding("ctrl+q", "quit", "Quit", id="app.quit", priority=True, show=False),
        Binding("ctrl+c", "interrupt", "Stop the cell", id="app.interrupt", priority=True, show=False),
        Binding("f4", "restart", "Start Python again", id="app.restart"),
        Binding("f1,question_mark", "help", "Keys", id="app.help"),
        Binding("slash", "search", "Search, and look a term up", id="app.search"),
        Binding("v", "language", "Vietnamese or English", id="app.language"),
        Binding("ctrl+z", "suspend_process", "To the shell; fg comes back", id="app.suspend", show=False),
        Binding("ctrl+l", "redraw", "Paint the screen again", id="app.redraw", priority=True, show=False),
    ]

    def __init__(
        self,
        start: str | None = None,
        driver_class: type[Driver] | None = None,
        orphaned: int | None = None,
        review: tuple[Choice, float | None] | None = None,
    ) -> None:
        super().__init__(driver_class=driver_class)
        self._start = start
        self._review = review
        self._orphaned = orphaned
        self.lang: Lang = i18n.language()
        self.study: Study | None = None
        self.python = Python(self)
        self.judge = Judge(self)
        self.laboratory = Laboratory(self)
        self.preferences = Preferences(self)
        self.reviewing = Reviewing(self)
        self.searching = Searching(self)
        self.sharing = Sharing(self)
        self._early = Early()
        self._farewell = Farewell(self, last=orphaned is not None)
        self._home = HomeScreen()

    def get_default_screen(self) -> Screen[None]:
        """The home screen is there from the first paint on."""
        return self._home

    def on_mount(self) -> None:
        """Nothing slow happens before the first paint."""
        signals.on_ending(self._leave, self.action_interrupt, self._orphaned)
        if theme := os.environ.get("TEXTUAL_THEME"):
            self.theme = theme if theme in self.available_themes else self.theme
        screen_reader.dress(self)
        self.set_interval(RETRY_INTERVAL, self._retry)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.app_resume_signal.subscribe(self._home, lambda _app: self.refresh(layout=True))
        self.theme_changed_signal.subscribe(self._home, lambda _theme: self._theme_changed())
        self._read_course()
        self.python.begin()

    # The course and the journal

    @work(thread=True, group="start")
    def _read_course(self) -> None:
        from tutor.memory import journal, progress, refresh, settings
        from tutor.memory.cards import cards_of
        from tutor.memory.kept_course import read_course
        from tutor.memory.reviews import Reviews
        from tutor.ui.screens import consent

        made_from = refresh.sources()
        course = read_course()
        run = journal.Journal()
        history = run.read()
        folded = progress.fold(history.events)
        found = settings.load()
        reviews = Reviews(cards_of(course), folded, found.settings)
        refresh.remember(reviews, made_from)
        self.post_message(CourseRead(course, run, history, folded, found, reviews, consent.agreed(course)))

    async def on_event(self, event: Event) -> None:
        """Everything that happens; what was typed before there was a course to see is left out."""
        if isinstance(event, Paste):  # here and not in our fields alone: the palette has one of Textual's
            event.text = pasted(event.text)
        if not self._early.drops(event):
            await super().on_event(event)

    @on(CourseRead)
    def _course_read(self, event: CourseRead) -> None:
        self._early.over()
        self.preferences.use(event.settings, event.progress.settings)
        self.reviewing.begin(event.reviews)
        if event.agreed:
            self._study_begins(event)
        else:
            from tutor.ui.screens import consent

            consent.ask(self, event.course, lambda: self._study_begins(event))

    def _study_begins(self, event: CourseRead) -> None:
        from tutor.ui.study import Study

        self.study = Study(event.course, event.journal, event.progress, self.lang, on_saved=self._saved)
        if event.history.problems:
            self.notify(
                _("Some lines of your history cannot be read; they are kept: {what}").format(
                    what=str(event.history.problems[0])
                ),
                severity="warning",
            )
        self._home.fill()
        progress = event.progress
        recent = progress.recent if progress.recent == progress.position and not progress.at_home else None
        if self._review is not None:
            self.reviewing.open(*self._review)
        elif self._start is not None:
            self._open_start(self._start)
        elif recent is not None and event.course.find(recent[1]) is not None:
            self.open_step(recent[1])
        elif self.greets and first_start(event):
            ask_language(self)

    def _open_start(self, id: str) -> None:
        assert self.study is not None
        lesson = self.study.course.lesson(id)
        self.open_step(self.study.progress.resume(lesson) if lesson is not None else id)

    def _saved(self) -> None:
        self.post_message(SavedChanged())

    @on(SavedChanged)
    def _saved_changed(self) -> None:
        self._refresh_bars()

    def _retry(self) -> None:
        if self.study is not None and self.study.trouble:
            self.study.retry()

    # Screens

    def open_step(self, id: str) -> None:
        """Open the lesson that holds the step `id`."""
        from tutor.ui.screens.lesson import LessonScreen

        if self.study is None:
            return
        found = self.study.course.find(id)
        if found is None:
            self.notify(_("There is no lesson or step {id}.").format(id=id), severity="warning")
            return
        self.push_screen(LessonScreen(self.study, *found))

    def open_lab(self, experiment: str | None = None) -> None:
        """Open the lab, at an experiment if one is named."""
        from tutor.ui.screens.lab import LabScreen

        if self.study is not None and not any(isinstance(screen, LabScreen) for screen in self.screen_stack):
            self.push_screen(LabScreen(experiment))

    def go_home(self) -> None:
        """Leave the lesson."""
        if self.study is not None:
            self.study.opened(None, None)
        self.pop_screen()

    def screens(self) -> list[TutorScreen]:
        """Those of ours that are open, the lowest first."""
        return [screen for screen in self.screen_stack if isinstance(screen, TutorScreen) and screen.complete]

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """What ctrl+p offers, in the learner's language."""
        from tutor.ui.palette import offers

        return offers(self, screen)

    def copy_to_clipboard(self, text: str) -> None:
        """What is selected in a field, by the learner's own ctrl+c. Textual's sequence would not get through tmux."""
        from tutor.ui import clipboard

        self._clipboard = text
        clipboard.send(self, text)

    def action_redraw(self) -> None:
        """Paint everything again: another program may have written on the terminal."""
        from tutor.ui.driver import TerminalDriver

        if isinstance(self._driver, TerminalDriver):
            self._driver.forget()
        self.refresh(layout=True)

    def action_search(self) -> None:
        """Look a term up, or search through the course."""
        self.searching.open()

    def action_command_palette(self) -> None:
        """All commands."""
        from tutor.ui.palette import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())

    def action_help(self) -> None:
        """All keys."""
        from tutor.ui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen())

    def action_progress(self) -> None:
        """What is known, what comes, what to do next."""
        from tutor.ui.screens.progress import ProgressScreen

        if self.study is not None and not isinstance(self.screen, ProgressScreen):
            self.push_screen(ProgressScreen())

    def action_settings(self) -> None:
        """Look at the settings, and change them."""
        from tutor.ui.screens.settings import SettingsScreen

        if self.study is not None and not isinstance(self.screen, SettingsScreen):
            self.push_screen(SettingsScreen())

    async def action_language(self) -> None:
        """The other language, at once."""
        await self.speak("en" if self.lang == "vi" else "vi")

    async def speak(self, language: str) -> None:
        """Go on in another language and keep it as the setting; `auto` is what the locale says."""
        self.preferences.change("language", language)
        self.use_language("vi" if language == "vi" else "en" if language == "en" else i18n.default_language())
        if self.study is not None:
            self.study.speak(self.lang)
        for screen in self.screens():
            await screen.relabel()

    async def read_aloud(self, on: bool) -> None:
        """Show everything as lines to be read aloud, or as before."""
        aloud.use(on)
        screen_reader.dress(self)
        for screen in self.screens():
            await screen.relabel()

    def post_display_hook(self) -> None:
        """Something was painted: a screen reader is told where the focus is."""
        if aloud.aloud():
            screen_reader.follow(self)

    def use_language(self, lang: Lang) -> None:
        """Say everything from now on in `lang`."""
        self.lang = lang
        i18n.set_language(lang)

    def _theme_changed(self) -> None:
        if "TEXTUAL_THEME" not in os.environ:
            self.preferences.change("theme", self.theme)

    def tell(self, message: Message) -> None:
        """Tell every screen: the one that it concerns may lie below a list or the help."""
        for screen in self.screens():
            screen.post_message(message)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Say something in passing. What it quotes may be anybody's, so nothing in it is markup."""
        super().notify(sanitize(message), title=sanitize(title), severity=severity, timeout=timeout, markup=False)

    def _refresh_bars(self) -> None:
        for screen in self.screens():
            screen.refresh_bars()

    # The kernel

    @on(KernelChanged)
    def _kernel_changed(self) -> None:
        self._refresh_bars()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Ctrl+c stops a cell while one runs; else it copies, as fields expect."""
        if action == "interrupt":
            return any(each.running is not None for each in (self.python, self.judge, self.laboratory))
        return True

    def action_suspend_process(self) -> None:
        """To the shell; `fg` comes back."""
        from tutor.ui import outside

        outside.to_the_shell(self)

    def action_interrupt(self) -> None:
        """Stop the cell that runs, the judge, and the experiment."""
        self.python.interrupt()
        self.judge.stop()
        self.laboratory.cancel()

    def action_restart(self) -> None:
        """Start Python again: variables are lost, what is typed stays."""
        self.python.restart()

    # The end

    def _fatal_error(self) -> None:
        """Instead of Textual's: no traceback with the learner's data on the screen."""
        from rich.segment import Segments

        from tutor.ui import faults

        report = faults.write_report(self._exception)
        self._exit_renderables.append(Segments(self.console.render(faults.message(report), self.console.options)))
        self._close_messages_no_wait()

    async def action_quit(self) -> None:
        """Write everything, end the kernel, leave."""
        await self._farewell.said()
        self.exit(0)

    def _leave(self) -> None:
        self.run_worker(self.action_quit(), group="leave", exclusive=True)

    async def on_unmount(self) -> None:
        """However the app ends, nothing is lost and nothing is left behind."""
        await self._farewell.said()


def run_app(
    start: str | None = None, orphaned: int | None = None, review: tuple[Choice, float | None] | None = None
) -> int:
    """Run the app; `start` is the id of a lesson or a step to open, `review` a review. Returns the exit code.

    The app leaves when the descriptor `orphaned` can be read: whoever holds its other end has died.
    """
    from tutor.ui.driver import TerminalDriver

    app = TutorApp(start, driver_class=TerminalDriver, orphaned=orphaned, review=review)
    app.greets = True
    app.run()
    return app.return_code or 0
