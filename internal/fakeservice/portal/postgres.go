package portal

import (
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// consoleShown is the data of the SQL console, with the result of the last statement.
type consoleShown struct {
	Mode   string
	Result *core.StatementResult
}

func showConsole(c *call) (*page, error) {
	p, err := c.instancePage("/console", "console")
	if err != nil {
		return nil, err
	}
	console, err := c.Service.Console(c.context(), c.instance())
	if err != nil {
		return nil, err
	}
	p.Data = consoleShown{Mode: console.Mode}
	p.Forms = []*form{
		{ID: "mode", Action: instancePath(p.Instance.ID, "console"), Title: "Mode", Submit: "Set the mode", Fields: []*field{{
			Name: "mode", Label: "What statements may do", Kind: radios, Value: console.Mode,
			Choices: []option{{"off", "Off: every statement is refused"}, {"ro", "Read only: Postgres refuses writes"}, {"rw", "Read and write"}},
		}}},
		{ID: "query", Action: instancePath(p.Instance.ID, "query"), Title: "Statement", Submit: "Run", Fields: []*field{
			{Name: "database", Label: "Database", Kind: choice, Choices: c.databaseChoices()},
			{Name: "sql", Label: "SQL", Kind: textarea, Rows: 10, Code: true, Sends: true, Help: "Ctrl-Enter runs it."},
		}},
	}
	return p, nil
}

// databaseChoices returns the databases of the instance, its own first. If they cannot be
// read, a statement can only be sent to the instance's own.
func (c *call) databaseChoices() []option {
	choices := []option{{"", "The instance's own"}}
	list, err := c.Service.ListDatabases(c.context(), c.instance())
	if err != nil {
		return choices
	}
	for _, d := range list.Databases {
		choices = append(choices, option{d.Name, d.Name})
	}
	return choices
}

func setConsole(c *call) (outcome, error) {
	accepted, err := c.Service.SetConsole(c.instance(), c.r.PostForm.Get("mode"))
	return c.queued(accepted, err, "The console's mode is being set.", "console")
}

func runStatement(c *call) (outcome, error) {
	result, err := c.Service.RunStatement(c.context(), c.instance(), c.r.PostForm.Get("database"), c.r.PostForm.Get("sql"))
	if err != nil {
		return outcome{}, err
	}
	p, err := showConsole(c)
	if err != nil {
		return outcome{}, err
	}
	p.Form("query").fill(c.r.PostForm)
	shown := p.Data.(consoleShown)
	shown.Result = &result
	p.Data = shown
	return outcome{show: p}, nil
}

// databasesShown is the data of the page of databases and extensions.
type databasesShown struct {
	Databases  []core.DatabaseRecord
	Droppable  []string // names
	Extensions []core.ExtensionRecord
}

func showDatabases(c *call) (*page, error) {
	p, err := c.instancePage("/databases", "databases")
	if err != nil {
		return nil, err
	}
	shown := databasesShown{}
	databases, err := c.Service.ListDatabases(c.context(), c.instance())
	if err != nil {
		p.Waiting, p.Data = sentence(core.ProblemOf(err).Detail), shown
		return p, nil
	}
	shown.Databases = databases.Databases
	choices := []option{{"", "The instance's own"}}
	for _, d := range databases.Databases {
		choices = append(choices, option{d.Name, d.Name})
		if d.Name == core.DefaultDatabase {
			continue
		}
		shown.Droppable = append(shown.Droppable, d.Name)
		p.Forms = append(p.Forms, &form{ID: "drop-database-" + d.Name, Action: instancePath(p.Instance.ID, "databases", d.Name, "drop"),
			Submit: "Drop " + d.Name, Danger: true, Losses: []string{"Database: " + d.Name + " with all its tables"}, Fields: []*field{confirmField("This cannot be undone.", d.Name)}})
	}
	extensions, err := c.Service.ListExtensions(c.context(), c.instance(), "")
	if err != nil {
		return nil, err
	}
	shown.Extensions = extensions.Extensions
	for _, e := range shown.Extensions {
		p.Forms = append(p.Forms, question("drop-extension-"+e.Database+"-"+e.Name,
			instancePath(p.Instance.ID, "extensions", e.Database, e.Name, "drop"), "Drop "+e.Name+" in "+e.Database,
			"Postgres also drops what depends on the extension.", "Extension: "+e.Name+" in the database "+e.Database, "Columns, indexes and functions that use it"))
	}
	p.Forms = append(p.Forms,
		&form{ID: "database", Action: instancePath(p.Instance.ID, "databases"), Title: "New database", Submit: "Create the database",
			Fields: []*field{{Name: "name", Label: "Name", Kind: "text", Required: true, Autocomplete: "off", Code: true,
				Help: "Lower case letters, digits and underscores, beginning with a letter."}}},
		&form{ID: "extension", Action: instancePath(p.Instance.ID, "extensions"), Title: "Add an extension", Submit: "Add the extension", Fields: []*field{
			{Name: "name", Label: "Extension", Kind: choice, Choices: []option{{"pgvector", "pgvector"}, {"pg_trgm", "pg_trgm"}, {"pgcrypto", "pgcrypto"}}},
			{Name: "database", Label: "Database", Kind: choice, Choices: choices},
		}})
	p.Data = shown
	return p, nil
}

func createDatabase(c *call) (outcome, error) {
	accepted, err := c.Service.CreateDatabase(c.context(), c.instance(), c.r.PostForm.Get("name"))
	return c.queued(accepted, err, "The database is being created.", "databases")
}

func dropDatabase(c *call) (outcome, error) {
	if err := c.confirmed(c.param("name")); err != nil {
		return outcome{}, err
	}
	accepted, err := c.Service.DropDatabase(c.context(), c.instance(), c.param("name"))
	return c.queued(accepted, err, "The database is being dropped.", "databases")
}

func setExtension(c *call) (outcome, error) {
	accepted, err := c.Service.SetExtension(c.context(), c.instance(), c.r.PostForm.Get("database"), c.r.PostForm.Get("name"))
	return c.queued(accepted, err, "The extension is being added.", "databases")
}

func dropExtension(c *call) (outcome, error) {
	accepted, err := c.Service.DropExtension(c.context(), c.instance(), c.param("database"), c.param("name"))
	return c.queued(accepted, err, "The extension is being dropped.", "databases")
}
